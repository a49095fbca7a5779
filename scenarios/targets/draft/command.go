package draft

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"
)

var dockerCommand = regexp.MustCompile(`(?m)^(?:CMD|ENTRYPOINT)\s+(\[.*\])\s*$`)

// lookCommand finds out how the service is started.
func lookCommand(s *Service, from *sources) {
	for _, way := range []func(*sources) (string, []string){ofProcfile, ofPackage, ofPython, ofGo, ofDocker} {
		if file, command := way(from); len(command) > 0 {
			s.Run = command
			s.found("%s starts it: %s", file, strings.Join(command, " "))
			return
		}
	}
}

func (s *Service) found(text string, args ...any) {
	s.Found = append(s.Found, fmt.Sprintf(text, args...))
}

func ofProcfile(from *sources) (string, []string) {
	name, text := from.first("Procfile")
	for line := range strings.Lines(text) {
		if command, web := strings.CutPrefix(line, "web:"); web {
			return name, strings.Fields(command)
		}
	}
	return "", nil
}

func ofPackage(from *sources) (string, []string) {
	name, text := from.first("package.json")
	var p struct {
		Main    string            `json:"main"`
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal([]byte(text), &p) == nil && (p.Scripts["start"] != "" || p.Main != "") {
		if words := strings.Fields(p.Scripts["start"]); len(words) > 0 && words[0] == "node" {
			return name, words // without npm in between, which would be stopped in its place
		}
		if p.Main != "" {
			return name, []string{"node", p.Main}
		}
		return name, []string{"npm", "start"}
	}
	for _, file := range from.with(".js", ".mjs") {
		if strings.Contains(from.text(file), ".listen(") {
			return file, []string{"node", file}
		}
	}
	return "", nil
}

func ofPython(from *sources) (string, []string) {
	if name, _ := from.first("manage.py"); name != "" {
		return name, []string{"python3", name, "runserver", "--noreload", "${listen}"}
	}
	for _, file := range from.with(".py") {
		if strings.Contains(from.text(file), `__name__ == "__main__"`) || strings.Contains(from.text(file), `__name__ == '__main__'`) {
			return file, []string{"python3", file}
		}
	}
	return "", nil
}

func ofGo(from *sources) (string, []string) {
	if name, _ := from.first("go.mod"); name == "" {
		return "", nil
	}
	for _, file := range from.with(".go") {
		if strings.Contains(from.text(file), "\nfunc main()") {
			return file, []string{"./" + path.Base(path.Dir("./"+file)+"/server")}
		}
	}
	return "", nil
}

func ofDocker(from *sources) (string, []string) {
	name, text := from.first("Dockerfile")
	var out []string
	if m := dockerCommand.FindStringSubmatch(text); m != nil && json.Unmarshal([]byte(m[1]), &out) == nil {
		return name, out
	}
	return "", nil
}
