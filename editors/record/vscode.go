package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"acp-ls/internal/editorlog"
)

// What runs inside VS Code and what drives it. scenarios.js has the scenarios.
//
//go:embed vscode
var vscodeFiles embed.FS

const vscodeSettings = `{
	"telemetry.telemetryLevel": "off",
	"update.mode": "none",
	"extensions.autoUpdate": false,
	"extensions.autoCheckUpdates": false,
	"workbench.startupEditor": "none",
	"workbench.enableExperiments": false,
	"window.restoreWindows": "none",
	"git.enabled": false,
	"chat.disableAIFeatures": true,
	"files.autoSave": "off",
	"editor.quickSuggestions": {"other": "off"},
	"editor.wordBasedSuggestions": "off"
}
`

var vscodeVersion = regexp.MustCompile(`with Code (\d+\.\d+\.\d+)`)

// recordVSCode plays the named scenarios, or all, in one VS Code.
func recordVSCode(out string, names []string) error {
	launcher, err := tool("tools/get-vscode")
	if err != nil {
		return err
	}
	node, err := filepath.Glob(filepath.Join(filepath.Dir(launcher), "node/node_modules/node-*/bin/node"))
	if err != nil || len(node) != 1 {
		return fmt.Errorf("%s: node not found beside it", launcher)
	}
	browser, err := findBrowser()
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "record")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)

	host := filepath.Join(tmp, "host")
	if err := stage(host, filepath.Join(filepath.Dir(launcher), "..", "record-vscode")); err != nil {
		return err
	}
	env := append(os.Environ(), "HOME="+tmp, "XDG_DATA_HOME="+filepath.Join(tmp, "data"), "XDG_CONFIG_HOME="+filepath.Join(tmp, "config"))
	version, err := exec.Command(launcher, "--version").Output()
	if err != nil {
		return fmt.Errorf("%s: %w", launcher, err)
	}
	m := vscodeVersion.FindSubmatch(version)
	if m == nil {
		return fmt.Errorf("%s: version not found in %.80q", launcher, version)
	}

	scenarios, err := vscodeScenarios(node[0], host, names)
	if err != nil {
		return err
	}
	workspace := filepath.Join(tmp, "w")
	var plays []*vscodePlay
	defer func() {
		for _, p := range plays {
			p.close()
		}
	}()
	for i, sc := range scenarios {
		p, err := sc.serve(filepath.Join(workspace, sc.Name), filepath.Join(tmp, fmt.Sprintf("s%d", i)), string(m[1]))
		if err != nil {
			return err
		}
		plays = append(plays, p)
	}
	run, err := json.Marshal(plays)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(host, "run.json"), run, 0o644); err != nil {
		return err
	}

	base, stop, err := startVSCode(launcher, tmp, env)
	if err != nil {
		return err
	}
	defer stop()
	// Every scenario has some 20 steps of half a second; the start takes a minute.
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute+time.Duration(len(plays))*time.Minute)
	defer cancel()
	drive := exec.CommandContext(ctx, node[0], filepath.Join(host, "drive.js"), base, host, workspace)
	drive.Env = append(env, "CHROMIUM="+browser)
	drive.Stdout, drive.Stderr = os.Stderr, os.Stderr
	failed := drive.Run()
	if failed != nil {
		failed = fmt.Errorf("drive.js: %w", failed)
	}
	for _, p := range plays {
		p.mu.Lock()
		over := p.over
		p.mu.Unlock()
		err := errors.New("not played to its end")
		if over {
			err = keep(out, p.log)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("scenario %s: %w", p.Name, err))
		}
	}
	return failed
}

func findBrowser() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no chromium on PATH: install it (Debian: apt-get install chromium)")
}

// stage puts the embedded files into a folder, with their dependencies, which are
// installed into cache once for each content of package.json.
func stage(host, cache string) error {
	files, err := fs.Sub(vscodeFiles, "vscode")
	if err != nil {
		return err
	}
	if err := os.CopyFS(host, files); err != nil {
		return err
	}
	manifest, err := fs.ReadFile(files, "package.json")
	if err != nil {
		return err
	}
	done := filepath.Join(cache, "done.json")
	if have, _ := os.ReadFile(done); string(have) != string(manifest) {
		if err := os.MkdirAll(cache, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(cache, "package.json"), manifest, 0o644); err != nil {
			return err
		}
		npm := exec.Command("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
		npm.Dir, npm.Stdout, npm.Stderr = cache, os.Stderr, os.Stderr
		if err := npm.Run(); err != nil {
			return fmt.Errorf("npm install in %s: %w", cache, err)
		}
		if err := os.WriteFile(done, manifest, 0o644); err != nil {
			return err
		}
	}
	return os.Symlink(filepath.Join(cache, "node_modules"), filepath.Join(host, "node_modules"))
}

type vscodeScenario struct{ Name, Initial string }

// vscodeScenarios reads the names and first texts from scenarios.js.
func vscodeScenarios(node, host string, names []string) ([]vscodeScenario, error) {
	const list = `console.log(JSON.stringify(require(process.argv[1]).map(({name, initial}) => ({name, initial}))))`
	out, err := exec.Command(node, "-e", list, filepath.Join(host, "scenarios.js")).Output()
	if err != nil {
		return nil, fmt.Errorf("scenarios.js: %w", err)
	}
	var all []vscodeScenario
	if err := json.Unmarshal(out, &all); err != nil {
		return nil, fmt.Errorf("scenarios.js: %w", err)
	}
	if len(names) == 0 {
		return all, nil
	}
	var chosen []vscodeScenario
	for _, name := range names {
		found := false
		for _, sc := range all {
			if sc.Name == name {
				chosen, found = append(chosen, sc), true
			}
		}
		if !found {
			return nil, fmt.Errorf("no scenario %q", name)
		}
	}
	return chosen, nil
}

// A vscodePlay is a scenario with its folder and its server.
type vscodePlay struct {
	*server `json:"-"`
	Name    string `json:"name"`
	Dir     string `json:"dir"`
	Socket  string `json:"socket"`
}

func (sc vscodeScenario) serve(dir, socket, version string) (*vscodePlay, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "t.txt"), []byte(sc.Initial), 0o644); err != nil {
		return nil, err
	}
	s, err := serve(dir, socket, []string{"utf-8", "utf-16"}, &editorlog.Log{Header: editorlog.Header{
		Editor: "vscode", Version: version, Scenario: sc.Name,
		URI: editorlog.Root + "t.txt", Initial: sc.Initial,
	}})
	if err != nil {
		return nil, err
	}
	p := &vscodePlay{server: s, Name: sc.Name, Dir: dir, Socket: socket}
	s.handle = p.asked
	return p, nil
}

// asked answers the requests of host.js.
func (p *vscodePlay) asked(method string, params json.RawMessage) (any, error) {
	var q struct {
		Act     string
		URI     string
		Text    string
		File    string
		Argv    []string
		Version string
		Edits   []textEdit
	}
	if err := json.Unmarshal(params, &q); err != nil {
		return nil, err
	}
	switch method {
	case "record/act":
		p.act(q.Act)
		return nil, nil
	case "record/settle":
		p.settle()
		return nil, nil
	case "record/checkpoint":
		return nil, p.checkpoint(q.URI, q.Text)
	case "record/write":
		return nil, p.write(q.File, q.Text)
	case "record/program":
		return nil, p.program(q.Argv[0], q.Argv[1:]...)
	case "record/applyEdit":
		answer, err := p.applyEdit("t.txt", q.Version, q.Edits)
		if err != nil {
			return nil, err
		}
		m, ok := <-answer
		if !ok {
			return nil, errors.New("connection closed before the answer to applyEdit")
		}
		return m.Result, nil
	case "record/finish":
		p.finish()
		return nil, nil
	}
	return nil, fmt.Errorf("method %s is not known", method)
}

// startVSCode starts the server of VS Code and waits until it answers.
func startVSCode(launcher, tmp string, env []string) (base string, stop func(), err error) {
	user := filepath.Join(tmp, "user", "User")
	if err := os.MkdirAll(user, 0o755); err != nil {
		return "", nil, err
	}
	if err := os.WriteFile(filepath.Join(user, "settings.json"), []byte(vscodeSettings), 0o644); err != nil {
		return "", nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	address := l.Addr().String()
	l.Close()
	cmd := exec.Command(launcher, "--bind-addr", address, "--auth", "none",
		"--config", filepath.Join(tmp, "config.yaml"),
		"--user-data-dir", filepath.Join(tmp, "user"), "--extensions-dir", filepath.Join(tmp, "extensions"),
		"--disable-telemetry", "--disable-update-check", "--disable-workspace-trust",
		"--disable-getting-started-override", "--vscode-option", "enable-smoke-test-driver")
	cmd.Env = append(env, `EXTENSIONS_GALLERY={"serviceUrl":""}`)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = ownGroup()
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	stop = func() {
		endGroup(cmd.Process)
		<-ended
	}
	base = "http://" + address
	for range 600 {
		select {
		case err := <-ended:
			ended <- err
			stop()
			return "", nil, fmt.Errorf("%s ended before it was ready: %w", launcher, err)
		case <-time.After(100 * time.Millisecond):
		}
		if r, err := http.Get(base + "/healthz"); err == nil {
			r.Body.Close()
			return base, stop, nil
		}
	}
	stop()
	return "", nil, fmt.Errorf("%s was not ready after a minute", launcher)
}
