package proc

// Shell returns the command that runs a line of the system's plain shell: sh on
// Unix, cmd.exe on Windows.
func Shell(line string) Command { return shellCommand(line) }
