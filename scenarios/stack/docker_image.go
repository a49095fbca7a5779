package stack

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/moby/moby/client"
)

// ownImage is the name under which images of this binary are kept; the tag is made of its content.
const ownImage = "onedebit/self"

// nobody is the user that roles of this binary run as.
const nobody = "65532:65532"

// machines are the engine's names of what an executable can be for.
var machines = map[elf.Machine][]string{
	elf.EM_X86_64: {"x86_64", "amd64"}, elf.EM_AARCH64: {"aarch64", "arm64"}, elf.EM_ARM: {"armv7l", "arm"}, elf.EM_386: {"i686", "386"},
	elf.EM_RISCV: {"riscv64"}, elf.EM_PPC64: {"ppc64le"}, elf.EM_S390: {"s390x"},
}

// fits says why an executable cannot be an image of its own on an engine, or nothing.
func fits(executable []byte, architecture string) error {
	f, err := elf.NewFile(bytes.NewReader(executable))
	if err != nil {
		return fmt.Errorf("it is not for Linux: %w", err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return fmt.Errorf("it is linked dynamically: build it with CGO_ENABLED=0")
		}
	}
	for _, name := range machines[f.Machine] {
		if name == architecture {
			return nil
		}
	}
	return fmt.Errorf("it is for %s and the engine for %s", f.Machine, architecture)
}

// haveOwnImage is the name of an image of the executable, which is made where there is none yet.
func (e *engine) haveOwnImage(ctx context.Context, path string) (name string, err error) {
	ctx, cancel := context.WithTimeout(ctx, makeWait)
	defer cancel()
	executable, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("making an image of this executable: %w: %w", ErrNotUp, err)
	}
	name = fmt.Sprintf("%s:%x", ownImage, sha256.Sum256(executable))[:len(ownImage)+1+16]
	if _, err := e.api.ImageInspect(ctx, name); err == nil {
		return name, nil
	}
	info, err := e.api.Info(ctx, client.InfoOptions{})
	if err == nil {
		err = fits(executable, info.Info.Architecture)
	}
	if err != nil {
		return "", fmt.Errorf("this executable cannot be an image, use --image onedebit=NAME with one of the same version: %w: %w", ErrNotUp, err)
	}
	repo, tag, _ := strings.Cut(name, ":")
	out, err := e.api.ImageImport(ctx, client.ImageImportSource{Source: layer(executable), SourceName: "-"}, repo, client.ImageImportOptions{
		Tag: tag, Message: "the running onedebit",
		Changes: []string{`ENTRYPOINT ["/onedebit"]`, "USER " + nobody, "LABEL " + ownLabel + "=" + tag},
	})
	if err == nil {
		err = heard(out)
	}
	if err != nil {
		return "", fmt.Errorf("making an image of this executable: %w: %w", ErrNotUp, err)
	}
	_, _ = e.prune(ctx, name, time.Now().Add(-keptFor)) // what cannot be removed now will be by the next
	return name, nil
}

// keptFor is how old an image of another build must be to be removed: a younger one may be that of a run that has only just
// made it.
const keptFor = time.Hour

// prune removes images of other builds than the one to be kept, made before a moment. While another run is on the engine it
// removes none: that may be about to use one. The engine itself keeps an image that some container has.
func (e *engine) prune(ctx context.Context, keep string, before time.Time) (n int, err error) {
	nets, err := e.api.NetworkList(ctx, client.NetworkListOptions{Filters: client.Filters{}.Add("label", runLabel)})
	if err != nil {
		return 0, fmt.Errorf("looking for other runs: %w", err)
	}
	for _, net := range nets.Items {
		if e.labels == nil || net.Labels[runLabel] != e.labels[runLabel] {
			return 0, nil
		}
	}
	images, err := e.api.ImageList(ctx, client.ImageListOptions{Filters: client.Filters{}.Add("label", ownLabel)})
	if err != nil {
		return 0, fmt.Errorf("looking for images of earlier builds: %w", err)
	}
	var errs []error
	for _, i := range images.Items {
		if !time.Unix(i.Created, 0).Before(before) {
			continue
		}
		for _, name := range i.RepoTags {
			if name == keep || !strings.HasPrefix(name, ownImage+":") {
				continue
			}
			switch _, err := e.api.ImageRemove(ctx, name, client.ImageRemoveOptions{}); {
			case err == nil:
				n++
			case !gone(err) && !strings.Contains(err.Error(), "is using"):
				errs = append(errs, fmt.Errorf("removing image %s: %w", name, err))
			}
		}
	}
	return n, errors.Join(errs...)
}

// layer is a root file system with nothing in it but an executable.
func layer(executable []byte) io.Reader {
	r, w := io.Pipe()
	go func() {
		t := tar.NewWriter(w)
		err := t.WriteHeader(&tar.Header{Name: "onedebit", Mode: 0o755, Size: int64(len(executable)), Format: tar.FormatPAX})
		if err == nil {
			_, err = t.Write(executable)
		}
		if err == nil {
			err = t.Close()
		}
		w.CloseWithError(err)
	}()
	return r
}

// heard reads the engine's words about something to their end, and returns the error among them.
func heard(out io.ReadCloser) error {
	defer out.Close()
	for words := json.NewDecoder(out); ; {
		var line struct {
			Error string `json:"error"`
		}
		switch err := words.Decode(&line); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case line.Error != "":
			return fmt.Errorf("%s", line.Error)
		}
	}
}
