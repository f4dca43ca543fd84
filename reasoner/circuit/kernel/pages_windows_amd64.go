package kernel

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapCode returns a copy of code in executable, read-only memory.
func mapCode(code []byte) ([]byte, error) {
	size := uintptr(len(code))
	at, err := windows.VirtualAlloc(0, size, windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, fmt.Errorf("memory for %d bytes of code: %w", len(code), err)
	}
	b := unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), len(code)) // system memory; vet rejects the direct conversion
	copy(b, code)
	var before uint32
	if err := windows.VirtualProtect(at, size, windows.PAGE_EXECUTE_READ, &before); err != nil {
		unmapCode(b)
		return nil, fmt.Errorf("executable memory: %w", err)
	}
	return b, nil
}

func unmapCode(code []byte) {
	_ = windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(code))), 0, windows.MEM_RELEASE)
}
