package draft

import (
	"regexp"
	"slices"
	"strings"
)

var (
	envLine = regexp.MustCompile(`(?m)^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)=["']?([^"'\n#]*)`)
	// envUse is how languages ask for a variable.
	envUse = regexp.MustCompile(`(?:os\.environ(?:\.get)?[\[(]\s*|os\.getenv\(\s*|os\.Getenv\(\s*|os\.LookupEnv\(\s*|ENV(?:\.fetch)?[\[(]\s*|getenv\(\s*)["']([A-Z][A-Z0-9_]*)["']|process\.env\.([A-Z][A-Z0-9_]*)`)
)

// system are variables that are not the service's own.
var system = []string{"HOME", "PATH", "USER", "LANG", "TMPDIR", "PWD", "DEBUG", "CI", "NODE_ENV", "TZ"}

// lookEnv finds the variables that the service asks for, and what each is to be: an address of the harness, where its name
// says so, else what a file beside it says.
func lookEnv(s *Service, from *sources) {
	values := map[string]string{}
	var names []string
	learn := func(name, value string) {
		if _, known := values[name]; !known && !slices.Contains(system, name) {
			names = append(names, name)
		}
		if values[name] == "" {
			values[name] = strings.TrimSpace(value)
		}
	}
	for _, c := range s.Env { // of the compose file
		learn(c.Name, c.Value)
	}
	for _, file := range []string{".env", ".env.example", ".env.sample", "example.env"} {
		for _, m := range envLine.FindAllStringSubmatch(from.text(file), -1) {
			learn(m[1], m[2])
		}
		if from.text(file) != "" {
			s.found("%s names variables", file)
		}
	}
	before := len(names)
	for _, file := range from.with(codeFiles...) {
		for _, m := range envUse.FindAllStringSubmatch(from.text(file), -1) {
			learn(m[1]+m[2], "")
		}
	}
	if len(names) > before {
		s.found("the source asks for %s", strings.Join(names[before:], ", "))
	}
	s.Env = nil
	for _, name := range names {
		s.Env = append(s.Env, Setting{name, s.meant(name, values[name])})
	}
}

// meaning is what the name of a variable says about its value.
var meanings = []struct {
	name, value string
}{
	{`^(HTTP_|APP_|SERVER_|LISTEN_|WEB_)?PORT$`, "${listen.port}"},
	{`^(LISTEN|ADDR|BIND|HTTP_ADDR|LISTEN_ADDR(ESS)?|SERVER_ADDR(ESS)?)$`, "${listen}"},
	{`REDIS.*(URL|URI|DSN)$|^CACHE_URL$`, "${cache.url}"},
	{`REDIS.*(ADDR|ADDRESS)$`, "${cache.host}:${cache.port}"},
	{`REDIS.*HOST$`, "${cache.host}"},
	{`REDIS.*PORT$`, "${cache.port}"},
	{`(AMQP|RABBIT|KAFKA|QUEUE|BROKER).*(URL|URI|DSN)$`, "${queue.url}"},
	{`(KAFKA|BROKER).*(BROKERS|ADDR|ADDRESS|SERVERS)$`, "${queue.host}:${queue.port}"},
	{`(AMQP|RABBIT|KAFKA|QUEUE|BROKER).*HOST$`, "${queue.host}"},
	{`(AMQP|RABBIT|KAFKA|QUEUE|BROKER).*PORT$`, "${queue.port}"},
	{`(DB|DATABASE|POSTGRES|POSTGRESQL|PG|MYSQL|SQL).*HOST(NAME)?$`, "${db.host}"},
	{`(DB|DATABASE|POSTGRES|POSTGRESQL|PG|MYSQL|SQL).*PORT$`, "${db.port}"},
	{`(DB|DATABASE|POSTGRES|POSTGRESQL|PG|MYSQL|SQL).*(USER|USERNAME)$`, "${db.user}"},
	{`(DB|DATABASE|POSTGRES|POSTGRESQL|PG|MYSQL|SQL).*(PASS|PASSWORD|PWD)$`, "${db.password}"},
	{`^(DB|DATABASE|POSTGRES|POSTGRESQL|PG|MYSQL|SQL)_?(NAME|DATABASE|DB)$`, "${db.name}"},
	{`^(DB|DATABASE|POSTGRES|POSTGRESQL|PG|MYSQL|SQLITE)(_URL|_URI|_DSN|_PATH|_FILE)?$|DATABASE_URL`, "${db.url}"},
	{`(BANK|PSP|PROVIDER|PROCESSOR|ACQUIRER|STRIPE|ADYEN|PAYPAL|XENDIT|MIDTRANS|GATEWAY).*(URL|URI|BASE|HOST|ENDPOINT|API|ADDR)(_[A-Z]+)?$|^(BANK|PSP)$`, "${bank.url}"},
}

var secretName = regexp.MustCompile(`KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL`)

// meant is what a variable is to be.
func (s *Service) meant(name, value string) string {
	for _, m := range meanings {
		if !regexp.MustCompile(m.name).MatchString(name) {
			continue
		}
		switch {
		case m.value == "${db.url}" && (s.Engine == "sqlite" || s.Engine == "" && !strings.Contains(value, "://")):
			s.Engine = "sqlite"
			return "${db.file}"
		case strings.HasPrefix(m.value, "${cache") && s.Cache == "":
			s.Cache = "redis"
		case strings.HasPrefix(m.value, "${queue") && s.Queue == "":
			s.Queue = queueOf(name + value)
		case strings.HasPrefix(m.value, "${db") && s.Engine == "":
			s.Engine = engineOf(name + value)
		}
		return m.value
	}
	if secretName.MatchString(name) || value == "" { // no secret is copied into a file that is meant to be kept
		return "for-tests"
	}
	return value
}

func queueOf(text string) string {
	if strings.Contains(strings.ToLower(text), "kafka") {
		return "kafka"
	}
	return "rabbitmq"
}

func engineOf(text string) string {
	if strings.Contains(strings.ToLower(text), "mysql") || strings.Contains(strings.ToLower(text), "mariadb") {
		return "mysql"
	}
	return "postgres"
}
