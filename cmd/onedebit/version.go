package main

import "runtime/debug"

// stamp is set by the linker, for example by make build: -X main.stamp=v0.1.0-3-gabc1234.
var stamp string

// version is what this binary is: the stamp of its build, or what the Go toolchain has noted.
func version() string {
	if stamp != "" {
		return stamp
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}
