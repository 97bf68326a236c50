package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Relay is the child that an agent starts: it joins the acp-ls that runs, by
// what is in its environment, and carries bytes between it and the agent until
// one of the two ends.
func Relay(ctx context.Context, stdin io.Reader, stdout io.Writer, getenv func(string) string) error {
	address, token := getenv(SocketVariable), getenv(TokenVariable)
	if address == "" || token == "" {
		return errors.New("acp-ls mcp is started by agents, for the editor's tools: it has no session here")
	}
	if strings.ContainsAny(token, "\r\n") {
		return fmt.Errorf("%s is no token", TokenVariable)
	}
	c, err := dial(ctx, address)
	if err != nil {
		return fmt.Errorf("the editor's acp-ls is gone: %w", err)
	}
	defer c.Close()
	leave := context.AfterFunc(ctx, func() { c.Close() })
	defer leave()

	_ = c.SetDeadline(time.Now().Add(helloWait))
	if _, err := io.WriteString(c, hello+token+"\n"); err != nil {
		return fmt.Errorf("the editor's acp-ls is gone: %w", err)
	}
	in := bufio.NewReader(c)
	answer, err := in.ReadString('\n')
	if err != nil {
		return fmt.Errorf("the editor's acp-ls did not answer: %w", err)
	}
	if answer = strings.TrimRight(answer, "\r\n"); answer != welcome {
		return errors.New("the editor's acp-ls refused: " + answer)
	}
	_ = c.SetDeadline(time.Time{})

	ended := make(chan error, 2)
	go func() { // ends with stdin, at the latest with the process
		_, err := io.Copy(c, stdin)
		ended <- err
	}()
	go func() { // ends with c
		_, err := io.Copy(stdout, in)
		ended <- err
	}()
	err = <-ended
	switch {
	case err == nil, ctx.Err() != nil, errors.Is(err, os.ErrClosed), errors.Is(err, io.ErrClosedPipe), isGone(err):
		return nil
	}
	return err
}
