package stack

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// TestMain makes the test binary what onedebit's own is: started as "serve ROLE" it is that role; and "shop" is a service of
// somebody's own.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 3 && os.Args[1] == "serve":
		fmt.Println(serveRole(os.Args[2]))
		os.Exit(1)
	case len(os.Args) == 2 && os.Args[1] == "shop":
		shop()
	case len(os.Args) == 2 && os.Args[1] == "shop-schema":
		fmt.Println("made with", os.Getenv("DSN"))
		if os.Getenv("DSN") == "" {
			os.Exit(5)
		}
	default:
		m.Run()
	}
}

func serveRole(name string) error {
	var c RoleConfig
	if err := json.Unmarshal([]byte(os.Getenv(ConfigVar)), &c); err != nil {
		return err
	}
	switch name {
	case HostsRoleName:
		role, err := configured[HostsRole](c)
		if err != nil {
			return err
		}
		return ServeHosts(role, os.Environ())
	case "bank":
		role, err := configured[BankRole](c)
		if err != nil {
			return err
		}
		return ServeBank(context.Background(), role)
	case "proxy":
		role, err := configured[ProxyRole](c)
		if err != nil {
			return err
		}
		return ServeProxies(context.Background(), role)
	}
	return fmt.Errorf("no role %s", name)
}

func configured[T any](c RoleConfig) (role T, err error) {
	err = json.Unmarshal(c.Config, &role)
	return role, err
}
