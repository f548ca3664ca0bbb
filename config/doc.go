// Package config reads the configuration of urisieve: one typed struct, [Config], filled from
// defaults, a YAML file, environment variables and flags, each of which overrides those before it.
//
// Terms. A key names an option: "input.format". Its variable is the key in upper case with "_" for
// ".", after URISIEVE_: URISIEVE_INPUT_FORMAT. Its origin is where its value came from: "default",
// "run.yaml:12", "URISIEVE_INPUT_FORMAT", "--input-format".
//
// Promises:
//   - Nothing is ignored. An unknown key, a key given twice, an unknown URISIEVE_ variable, a second
//     YAML document, a value of the wrong type are faults.
//   - All faults come at once ([Faults]), each with its key, its origin, what would be accepted and
//     the nearest right name.
//   - Durations and sizes carry their unit: "5m", "64KiB". A bare number is a fault, zero apart.
//   - Secrets come from the environment or from a file named by a key that ends in _file, never from
//     the configuration file; they are never printed.
//
// Whether a value makes sense is known by the part that uses it: the program joins the faults found
// here with those that the parts report, by [Loaded.Fault].
package config
