// Package libdds asks the double dummy solver of Bo Haglund and Soren Hein, an
// independent judge for tests alone: no program imports it. With the build tag dds it
// needs libdds (Debian: apt-get install libdds-dev) and a C compiler; without, it is
// empty.
package libdds
