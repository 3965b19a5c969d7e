package structure

// joint is what stands between a name and that of its parent.
type joint uint8
