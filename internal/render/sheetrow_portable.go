//go:build !goexperiment.simd || !amd64

package render

// eights is whether rows are drawn eight pixels at a time. Tests change it.
var eights bool

func blendEights(*sheet, int, int, float32, *[4]float32) int                { return 0 }
func shadeEights(*sheet, int, []float32, *[4]float32, float32, float32) int { return 0 }
func dimEights(*sheet, int, []float32, float32, float32) int                { return 0 }
func overEights(*sheet, int, int, *band, int) int                           { return 0 }
func encodeEights(*sheet, int, []uint8) int                                 { return 0 }
func ribbonEights(*sheet, *triangle, int, int, int, *[4]float32) int        { return 0 }
