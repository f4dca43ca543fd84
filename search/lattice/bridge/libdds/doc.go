// Package libdds calls the double dummy solver of Bo Haglund and Soren Hein, as an independent oracle for
// tests only. With the build tag dds it needs libdds (Debian: apt-get install libdds-dev) and a C
// compiler; without the tag it is empty.
package libdds
