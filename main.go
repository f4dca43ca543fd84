// Command stackmate is a general game player: package cli has its commands.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"stackmate/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The second Ctrl-C ends the program at once. Within a second it is taken for the
	// same: timeout(1) sends a signal to the program and to its group.
	context.AfterFunc(ctx, func() { time.AfterFunc(time.Second, stop) })
	// A pipe that nobody reads is an error of writing, not the end of the program: a
	// player goes on without its log.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(cli.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
