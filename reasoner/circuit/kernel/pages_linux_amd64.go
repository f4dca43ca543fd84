package kernel

import (
	"fmt"
	"syscall"
)

// mapCode returns a copy of code in executable, read-only memory.
func mapCode(code []byte) ([]byte, error) {
	b, err := syscall.Mmap(-1, 0, len(code), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("memory for %d bytes of code: %w", len(code), err)
	}
	copy(b, code)
	if err := syscall.Mprotect(b, syscall.PROT_READ|syscall.PROT_EXEC); err != nil {
		unmapCode(b)
		return nil, fmt.Errorf("executable memory: %w", err)
	}
	return b, nil
}

func unmapCode(code []byte) { _ = syscall.Munmap(code) }
