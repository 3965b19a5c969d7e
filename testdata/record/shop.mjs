// shop.mjs FILE json|proto: three services of a shop, each with a tracer provider of its own, serve
// a fast and a slow request, and some small ones. Their spans are written as the OpenTelemetry
// collector's file exporter writes them: JSON lines, or protocol buffers with the length before each.
import { appendFileSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";

const [file, encoding] = process.argv.slice(2);
writeFileSync(file, "");

const exporter = {
	export(spans, done) {
		if (encoding === "json") {
			appendFileSync(file, Buffer.concat([JsonTraceSerializer.serializeRequest(spans), Buffer.from("\n")]));
		} else {
			const body = ProtobufTraceSerializer.serializeRequest(spans), length = Buffer.alloc(4);
			length.writeUInt32BE(body.length);
			appendFileSync(file, Buffer.concat([length, body]));
		}
		done({ code: 0 });
	},
	shutdown: async () => {},
};

const providers = [];
const sleep = ms => new Promise(done => setTimeout(done, ms));
const burn = ms => { for (const end = performance.now() + ms; performance.now() < end;); };

// service starts a server whose requests are handled by work, each in a span.
async function service(name, port, work) {
	const provider = new NodeTracerProvider({
		resource: resourceFromAttributes({ "service.name": name, "host.name": `${name}-1` }),
		spanProcessors: [new BatchSpanProcessor(exporter)],
	});
	providers.push(provider);
	if (providers.length === 1)
		provider.register();
	const tracer = provider.getTracer("shop", "1.0.0");
	const server = createServer((req, res) => {
		const parent = propagation.extract(ROOT_CONTEXT, req.headers);
		const url = new URL(req.url, "http://shop");
		tracer.startActiveSpan(`GET ${url.pathname}`, { kind: SpanKind.SERVER,
			attributes: { "http.request.method": "GET", "url.query": url.search } }, parent, async span => {
			const status = await work(tracer, url.searchParams, span).then(() => 200, error => {
				span.recordException(error);
				span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
				return 500;
			});
			span.setAttribute("http.response.status_code", status);
			span.end();
			res.writeHead(status).end("{}");
		});
	}).listen(port);
	await new Promise(done => server.on("listening", done));
	return server;
}

// call asks another service, in a client's span.
const call = (tracer, port, path) => tracer.startActiveSpan("GET", { kind: SpanKind.CLIENT,
	attributes: { "server.port": port, "url.path": path } }, span => new Promise((done, fail) => {
	const headers = {};
	propagation.inject(context.active(), headers);
	request({ port, path, headers, agent: false }, res => {
		res.resume().on("end", () => {
			span.setAttribute("http.response.status_code", res.statusCode);
			if (res.statusCode >= 500)
				span.setStatus({ code: SpanStatusCode.ERROR });
			span.end();
			res.statusCode < 500 ? done() : fail(new Error(`${path} answered ${res.statusCode}`));
		});
	}).end();
}));

// step does something within a service.
const step = (tracer, name, attributes, work) => tracer.startActiveSpan(name, { attributes }, async span => {
	await work(span);
	span.end();
});

const query = (tracer, table, ms, rows) => tracer.startActiveSpan(`SELECT ${table}`, { kind: SpanKind.CLIENT,
	attributes: { "db.system.name": "postgresql", "db.collection.name": table, "db.response.returned_rows": rows } },
	async span => { await sleep(ms); span.end(); });

const servers = [
	await service("gateway", 8101, async (tracer, ask) => {
		await step(tracer, "authenticate", { "user.id": 7 }, async () => burn(1));
		await Promise.all([call(tracer, 8102, `/price?slow=${ask.get("slow")}`), call(tracer, 8103, "/stock")]);
		await step(tracer, "render", { template: "cart" }, async span => {
			span.addEvent("template loaded", { bytes: 4096 });
			burn(2);
		});
		if (ask.get("fails"))
			throw new Error("the cart is empty");
	}),
	await service("prices", 8102, async (tracer, ask) => {
		await query(tracer, "prices", 4, 12);
		if (ask.get("slow") === "1")
			for (let i = 0; i < 6; i++)
				await query(tracer, "discounts", 5, 1); // one by one
		await step(tracer, "compute total", {}, async () => burn(1));
	}),
	await service("stock", 8103, async tracer => {
		await Promise.all([query(tracer, "warehouses", 3, 2), query(tracer, "items", 6, 12)]);
	}),
];

const client = path => new Promise(done =>
	request({ port: 8101, path, agent: false }, res => res.resume().on("end", done)).end());
for (let i = 0; i < 3; i++)
	await client("/cart?slow=0"); // code is compiled meanwhile
for (const provider of providers)
	await provider.forceFlush();
writeFileSync(file, "");
await client("/cart?slow=0");
await client("/cart?slow=1");
await client("/cart?slow=0&fails=1");
for (const provider of providers)
	await provider.shutdown();
for (const server of servers)
	server.close();
