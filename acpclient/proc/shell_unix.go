//go:build unix

package proc

// platform is what a command needs on one system alone.
type platform struct{}

func shellCommand(line string) Command {
	return Command{Path: "/bin/sh", Args: []string{"-c", line}}
}
