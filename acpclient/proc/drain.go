package proc

import "os"

// drain reads a pipe to its end and gives what it reads to a sink. A command's
// pipe can stay open after the command has ended, held by what it left behind;
// flush tells when everything the command wrote has been delivered.
type drain struct {
	pipe *os.File
	sink func([]byte)
	end  func() // called after the last byte; may be nil
	done chan struct{}
	flushing
}

// drainBuffer is as much as a pipe usually holds.
const drainBuffer = 64 << 10

func startDrain(pipe *os.File, sink func([]byte), end func()) *drain {
	d := &drain{pipe: pipe, sink: sink, end: end, done: make(chan struct{})}
	go d.run()
	return d
}

func (d *drain) run() {
	defer close(d.done)
	defer d.pipe.Close()
	buf := make([]byte, drainBuffer)
	for {
		n, err := d.pipe.Read(buf)
		if n > 0 {
			d.sink(buf[:n])
		}
		if err == nil {
			continue
		}
		if !d.interrupted(err, buf) {
			break
		}
	}
	if d.end != nil {
		d.end()
	}
}

// stop delivers what is in the pipe and ends the reading, also if somebody out
// of reach still holds the pipe.
func (d *drain) stop() {
	d.flush()
	d.pipe.Close()
	<-d.done
}
