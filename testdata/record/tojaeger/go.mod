module tojaeger

go 1.23

require (
	github.com/jaegertracing/jaeger v1.62.0
	github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/jaeger v0.111.0
	go.opentelemetry.io/collector/pdata v1.17.0
)
