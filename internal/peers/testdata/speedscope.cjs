// Opens a file with speedscope's importer: node speedscope.cjs node_modules/speedscope/dist/release FILE
// With "count" after it, prints how many calls were imported.
// The importer is a bundle of its own, which shares the modules of the page. So both are loaded, the
// page's without the module that would draw it, and the importer is found by what it exports.
const { readFileSync, readdirSync } = require('node:fs')
const { basename, join } = require('node:path')

const [release, file, count] = process.argv.slice(2)
globalThis.window = globalThis.self = globalThis

function load(name) {
  const bundle = readdirSync(release).find(f => f.startsWith(name + '.') && f.endsWith('.js'))
  const script = readFileSync(join(release, bundle), 'utf8')
    .replace(/^parcelRequire=/, 'globalThis.parcelRequire=')
    .replace(/,\{\},\[[^\[\]]*\], ?null\)\s*(\/\/.*)?\s*$/, ',{},[],null)') // what it would start
  ;(0, eval)(script)
  return [...script.matchAll(/"([A-Za-z0-9+/]{4})":\[function/g)].map(m => m[1])
}

load('speedscope')
const importer = load('import').map(id => parcelRequire(id)).find(m => m?.importProfilesFromArrayBuffer)
const data = readFileSync(file)
const bytes = data.buffer.slice(data.byteOffset, data.byteOffset + data.length)
importer.importProfilesFromArrayBuffer(basename(file), bytes).then(group => {
  if (!group?.profiles.length) throw new Error(`${file}: nothing was imported`)
  if (!count) return
  let calls = 0
  for (const p of group.profiles) p.forEachCall(() => calls++, () => {})
  process.stdout.write(`calls ${calls}\n`)
})
