package nvim_test

import "testing"

// Whoever listens to AcpState hears of every state, also of those that acp-ls cannot tell of any
// more: it has been killed during a turn, or the user has ended it.
func TestStateIsToldToTheEnd(t *testing.T) {
	for end, want := range map[string]string{"killed": "failed", "restarted": "closed"} {
		t.Run(end, func(t *testing.T) {
			eachVersion(t, func(t *testing.T, version string) {
				e := setup(t, version, "", "a.txt", numbers)
				e.Exec(`_G.told = {}
					vim.api.nvim_create_autocmd('User', { pattern = 'AcpState', callback = function(args)
						table.insert(_G.told, args.data.session .. ' ' .. args.data.state)
					end })`, nil)
				e.open()
				e.notify("acp/session", info("running"))
				e.WaitLua(`_G.told[#_G.told] == 's1 running'`)
				if end == "killed" {
					e.drop()
				} else {
					e.Input(":Acp restart<CR>")
				}
				if !e.UntilLua(`return _G.told[#_G.told] == 's1 ' .. ...`, want) {
					var told []string
					e.Exec(`return _G.told`, &told)
					t.Errorf("told %q, want %s at the end", told, want)
				}
			})
		})
	}
}
