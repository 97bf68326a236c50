package policy

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// sensitive are the files by which a change of a text becomes a program that
// runs, or a permission that is given: an agent that may edit a project could
// otherwise give itself the rest of the machine. Lower case, any folder.
var sensitive = []string{
	// editors: settings, tasks, launch files, code run when a folder is opened
	".vscode/**", ".vscode-insiders/**", "*.code-workspace", ".devcontainer/**", ".devcontainer.json",
	".idea/**", ".fleet/**", ".vs/**", ".zed/**", ".cursor/**", ".helix/**", ".kakrc",
	".nvim/**", ".vim/**", ".nvim.lua", ".nvimrc", ".vimrc", ".gvimrc", ".exrc", ".lazy.lua", ".lvimrc",
	".emacs", ".emacs.d/**", ".dir-locals.el", ".dir-locals-2.el", "*.sublime-project", ".kateconfig", ".kateproject",
	".config/{nvim,helix,zed,emacs,kak,code,code - oss,vscodium,sublime-text}/**",
	"{code,code - insiders,vscodium,cursor}/user/**",
	// version control: hooks, and settings that name programs
	".git", ".git/**", ".githooks/**", ".husky/**", ".gitconfig", ".config/git/**", ".hg/**", ".hgrc", ".jj/**", ".pre-commit-config.yaml",
	// acp-ls and agents: what they may do
	"acp-ls/config.json", ".local/state/acp-ls/**", ".mcp.json", ".claude/settings*.json", ".codex/**", ".gemini/settings.json",
	// shells and what runs on entering a folder
	".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".config/fish/**",
	".envrc", ".mise.toml", ".tool-versions",
	"launchagents/**", ".config/autostart/**", ".config/systemd/**",
}

// secret are files that hold keys and passwords.
var secret = []string{
	".env", ".env.*", "*.env",
	"*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk",
	".ssh/**", ".gnupg/**", ".aws/**", ".kube/config", ".docker/config.json",
	".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".git-credentials", ".htpasswd", ".vault-token",
	"credentials.json", ".credentials.json", "application_default_credentials.json", "credentials.tfrc.json",
	".config/{gh,gcloud,op,rclone}/**", ".azure/**", ".cargo/credentials*", ".gem/credentials", ".codex/auth.json", ".m2/settings*.xml",
	".*_history", // of shells and the like: what was typed, passwords among it
	"proc/*/environ", "proc/*/task/*/environ",
}

// notSecret are named like secrets and are made to be shared.
var notSecret = []string{".env.example", ".env.sample", ".env.template", ".env.dist", "*.pub"}

// Sensitive says whether changing the file at path, absolute, is to be asked
// about whatever the rules allow: settings of editors and tools that make
// programs run, and files with secrets. Letter case is ignored everywhere.
func Sensitive(path string) bool { return Secret(path) || fits(path, sensitive) }

// Secret says whether the file at path is likely to hold keys or passwords, so
// that its text must not be stored.
func Secret(path string) bool { return fits(path, secret) && !fits(path, notSecret) }

func fits(path string, patterns []string) bool {
	path = strings.ToLower(slashed(path))
	return slices.ContainsFunc(patterns, func(p string) bool {
		return doublestar.MatchUnvalidated("**/"+p, path)
	})
}
