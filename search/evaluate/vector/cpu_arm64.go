package vector

// vectors tells that this processor has the instructions of the kernels: NEON is part of
// every arm64.
const vectors = true
