package reports

import (
	"context"
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// watching is the first script of a page under test: it gathers what went wrong.
const watching = `
window.troubles = [];
window.addEventListener("error", (e) => window.troubles.push("error: " + e.message));
window.addEventListener("securitypolicyviolation", (e) => window.troubles.push("policy: " + e.blockedURI + " " + e.violatedDirective));
window.alert = (text) => window.troubles.push("alert: " + text);
`

// using is the last: it does what a reader does, and writes down what is seen then.
const using = `
(async () => {
  const out = {}, until = async (f) => { for (let i = 0; i < 100 && !f(); i++) await new Promise((done) => setTimeout(done, 50)); };
  const seen = () => Array.from(document.querySelectorAll("details.scenario")).filter((s) => s.getClientRects().length).length;
  const button = (v) => document.querySelector("#filters button[data-verdict=" + v + "]");
  const within = (f) => { const from = performance.now(); f(); out.took = Math.max(out.took || 0, performance.now() - from); };
  out.all = seen();
  out.drawn = Array.from(document.querySelectorAll("details[open] .plot svg")).filter((s) => s.getBoundingClientRect().width > 200).length;
  out.bands = document.querySelectorAll("details[open] .plot .band").length;
  out.dots = document.querySelectorAll("details[open] .plot .dot").length;
  const ticks = () => Array.from(document.querySelectorAll("details[open] figure")[0].querySelectorAll(".tick + text")).map((t) => t.textContent).join(" ");
  document.querySelectorAll("ol.events li")[1].click();
  out.picked = document.querySelectorAll("li.picked, .dot.picked").length;
  const before = ticks();
  document.querySelector("figcaption button").click();
  out.zoomed = ticks() !== before;
  within(() => button("pass").click());
  out.withoutPass = seen();
  out.address = location.hash;
  const family = document.getElementById("family");
  within(() => { family.value = "submit"; family.dispatchEvent(new Event("input")); });
  out.ofFamily = seen();
  out.rows = Array.from(document.querySelectorAll(".grid tbody tr")).filter((r) => r.getClientRects().length).length;
  const search = document.getElementById("search");
  within(() => { search.value = "no such words"; search.dispatchEvent(new Event("input")); });
  out.none = seen() === 0 && !document.getElementById("none").hidden;
  location.hash = "#s-scenario-00001";
  const linked = document.getElementById("s-scenario-00001");
  await until(() => linked.querySelector(".plot svg"));
  out.linked = linked.open && linked.getClientRects().length > 0 && linked.querySelectorAll(".plot svg").length;
  location.hash = "#hide=pass,fail&family=crash";
  await until(() => family.value === "crash");
  out.recalled = Array.from(document.querySelectorAll("#filters button[aria-pressed=false]")).map((b) => b.dataset.verdict).join(" ") + " " + family.value;
  location.hash = "#";
  await until(() => seen() === out.all);
  out.again = seen();
  out.foreign = document.querySelectorAll("img, iframe, object, link[rel=stylesheet]").length;
  out.scripts = document.querySelectorAll("script:not([type])").length;
  out.hostile = document.body.textContent.includes("<scr" + "ipt>alert(1)</scr" + "ipt>");
  out.widest = Array.from(document.querySelectorAll("body *")).filter((e) => e.getBoundingClientRect().right > document.documentElement.clientWidth && !e.closest(".wide, .plot")).map((e) => e.tagName + "." + e.className).join(" ").slice(0, 200);
  out.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  out.troubles = window.troubles;
  document.body.setAttribute("data-seen", JSON.stringify(out));
})();
`

// seen is what using writes down.
type seen struct {
	All, Drawn, Bands, Dots, Picked, WithoutPass, OfFamily, Rows, Linked, Again, Foreign, Scripts, Wide int
	Zoomed, None, Hostile                                                                               bool
	Address, Recalled, Widest                                                                           string
	Took                                                                                                float64
	Troubles                                                                                            []string
}

// The page does in a real browser what it is for, with hundreds of payments and a hostile service in it.
func TestPageInABrowser(t *testing.T) {
	doc := many(500, 2000)
	doc.Scenarios = append(doc.Scenarios, hostile().Scenarios...)
	for i := range doc.Scenarios {
		s := &doc.Scenarios[i]
		if s.Name == "scenario-00002" {
			s.Verdict, s.Reason = Inconclusive, "nobody knows"
		}
	}
	page := render(t, HTML, finish(doc))
	policy := "script-src '" + digest(watching) + "' '" + digest(using) + "' '"
	page = strings.Replace(page, "script-src &#39;", strings.ReplaceAll(html.EscapeString(policy), "+", "&#43;"), 1)
	page = strings.Replace(page, "<title>", "<script>"+watching+"</script><title>", 1)
	page = strings.Replace(page, "</body>", "<script>"+using+"</script></body>", 1)
	for name, c := range map[string]struct{ size, scheme string }{
		"desktop, light": {"1200,900", "1"}, "phone, dark": {"500,900", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			got := browse(t, page, "--window-size="+c.size, "--blink-settings=preferredColorScheme="+c.scheme)
			took := got.Took
			t.Logf("a filter took %.0f ms with %d scenarios", took, got.All)
			got.Took = 0
			assert.Greater(t, got.Dots, 10)
			got.Dots = 0
			assert.Equal(t, seen{
				All: 503, Drawn: 3, Bands: 3, Picked: 2, WithoutPass: 54, OfFamily: 1, Rows: 1, Linked: 1, Again: 503, Scripts: 3,
				Zoomed: true, None: true, Hostile: true, Address: "#hide=pass", Recalled: "fail pass crash", Troubles: []string{},
			}, got)
		})
	}
}

// browse opens a page in a headless Chromium and returns what its last script has written down. Anything that the browser has to
// say on its console fails the test. Without a Chromium the test is skipped, but in CI, where it must be there.
func browse(t *testing.T, page string, flags ...string) seen {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatalf("no chromium: %v", err)
	} else if err != nil {
		t.Skip("no chromium is installed")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	require.NoError(t, os.WriteFile(file, []byte(page), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	args := append([]string{"--headless", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking", "--enable-logging=stderr", "--v=0",
		"--user-data-dir=" + filepath.Join(dir, "profile"), "--virtual-time-budget=20000", "--dump-dom"}, flags...)
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox") // the sandbox refuses root, which CI is
	}
	cmd := exec.CommandContext(ctx, path, append(args, "file://"+file)...)
	var said strings.Builder
	cmd.Stderr = &said
	dom, err := cmd.Output()
	require.NoError(t, err, said.String())
	for line := range strings.Lines(said.String()) {
		assert.NotContains(t, line, "CONSOLE")
	}
	found := regexp.MustCompile(`data-seen="([^"]*)"`).FindSubmatch(dom)
	require.NotNil(t, found, "the script of the test did not come to its end")
	var out seen
	require.NoError(t, json.Unmarshal([]byte(html.UnescapeString(string(found[1]))), &out))
	return out
}
