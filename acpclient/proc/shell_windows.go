package proc

// platform is what a command needs on one system alone.
type platform struct {
	shellLine string // what cmd.exe is to run, as it stands
}

func shellCommand(line string) Command {
	return Command{Path: "cmd.exe", platform: platform{line}}
}
