package scenarios

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"onedebit/reference"
	"onedebit/reference/mutants"
	"onedebit/scenarios/stack"
)

// TestMain makes the test binary what onedebit's own is: started as "serve ROLE" it is the service under test, so that
// an experiment of a test has a real process to kill.
func TestMain(m *testing.M) {
	if len(os.Args) != 3 || os.Args[1] != "serve" {
		m.Run()
		if built != "" {
			_ = os.RemoveAll(built)
		}
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	if err := serve(ctx, os.Args[2]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, role string) error {
	var c stack.RoleConfig
	if err := json.Unmarshal([]byte(os.Getenv(stack.ConfigVar)), &c); err != nil {
		return err
	}
	switch role {
	case "bank":
		var bank stack.BankRole
		if err := json.Unmarshal(c.Config, &bank); err != nil {
			return err
		}
		return stack.ServeBank(ctx, bank)
	case "proxy":
		var proxy stack.ProxyRole
		if err := json.Unmarshal(c.Config, &proxy); err != nil {
			return err
		}
		return stack.ServeProxies(ctx, proxy)
	case "reference":
	default:
		return errors.New("the last words of a service that cannot start")
	}
	config := reference.Defaults()
	strict := json.NewDecoder(bytes.NewReader(c.Config))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&config); err != nil {
		return err
	}
	parts := reference.Correct()
	if c.Mutant != "" {
		m, ok := mutants.Named(c.Mutant)
		if !ok {
			return fmt.Errorf("no mutant %q", c.Mutant)
		}
		m.Apply(&parts)
	}
	service, err := reference.New(ctx, config, parts, os.Stdout, time.Now)
	if err != nil {
		return err
	}
	return service.Run(ctx)
}
