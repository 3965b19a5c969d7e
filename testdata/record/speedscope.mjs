// Has speedscope open a file and writes what it exports: node speedscope.mjs FILE OUT.json
// Needs chromium-headless-shell and, beside this script, npm install speedscope puppeteer-core.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import puppeteer from 'puppeteer-core'

const [from, to] = process.argv.slice(2)
const page = resolve('node_modules/speedscope/dist/release/index.html')

// The page takes a file as a script that calls it.
const script = resolve('profile.js')
writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(basename(from))},
  "${readFileSync(from).toString('base64')}")`)

const browser = await puppeteer.launch({ executablePath: '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox', '--allow-file-access-from-files'] })
const tab = await browser.newPage()
await tab.evaluateOnNewDocument(() => { // what it would download
  const make = URL.createObjectURL
  URL.createObjectURL = b => {
    if (b instanceof Blob) b.text().then(text => { window.exported = text })
    return make.call(URL, b)
  }
})
await tab.goto(`file://${page}#localProfilePath=${script}`)
await new Promise(done => setTimeout(done, 3000)) // there is no sign that it has loaded
await tab.keyboard.down('Control')
await tab.keyboard.press('s')
await tab.waitForFunction(() => window.exported)
writeFileSync(to, await tab.evaluate(() => window.exported))
await browser.close()
