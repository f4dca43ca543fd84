package vector

// vectors reports whether this processor has the instructions of the kernels: every arm64 has NEON.
const vectors = true
