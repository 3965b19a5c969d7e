module m

go 1.25
