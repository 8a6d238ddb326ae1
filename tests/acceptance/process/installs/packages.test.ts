/**
 * The packages `fleetgate` and `@fleetgate/client` as npm packs them. With `INSTALLS=whole` they are installed in an
 * empty folder and used there, which takes a minute and a registry.
 */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { request } from '../../harness/client.ts'
import { isEmbedded } from '../../harness/deployment.ts'
import { resultOf } from '../../harness/envelope.ts'
import { REPOSITORY, startProgram } from '../../harness/fleetgate.ts'
import { ON_FREE_PORTS, type ServerProcess, served } from '../../harness/server.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'
import { assertConsole, outputOf, pack, sh, withoutInstalls as skip } from './installation.ts'

const SERVER = join(REPOSITORY, 'packages/server')
const CONSOLE = join(REPOSITORY, 'packages/console/dist/index.html')
const notPacked = !isEmbedded
  ? 'about packages, whatever the deployment'
  : !existsSync(CONSOLE) && 'the console was not built'

describe('The package of the server', { skip: notPacked }, () => {
  let files: string[]
  before(() => {
    files = pack(SERVER, '--dry-run').files
  })

  it('holds the program compiled, the console and the descriptions, and no source or test', () => {
    for (const path of [
      'LICENSE',
      'README.md',
      'bin/fleetgate.js',
      'dist/server/src/run/main.js',
      'dist/server/src/base/geocoding/offline/pack-geonames.js',
      'dist/server/src/data/sqlite/log/checkpoint-thread.js',
      'dist/server/openapi.json',
      'dist/server/admin-openapi.json',
      'dist/server/assets/reference/page.html',
      'dist/server/assets/scalar/standalone.js.br',
      'dist/server/assets/demo-drives.br',
      'dist/server/assets/demo-streets.pmtiles',
      'dist/client/src/pull/main.js',
      'dist/console/dist/index.html',
    ]) {
      assert.ok(files.includes(path), path)
    }
    const others = files.filter((path) => /\.tsx?$|\.test\.|fixture|\/testing\//.test(path))
    assert.deepEqual(others, [])
  })

  it('names no file of the source', () => {
    const compiled = files.filter((path) => /^(bin|dist\/(server|client)\/src)\/.*\.js$/.test(path))
    const naming = compiled.filter((path) => {
      const text = readFileSync(join(SERVER, path), 'utf8').replaceAll('../src/run/main.ts', '')
      return /['"`]\.[^'"`\n]*\.ts['"`]/.test(text)
    })
    assert.deepEqual(naming, [])
  })
})

describe('The packages', () => {
  for (const name of ['server', 'client']) {
    it(`say what a registry shows of them: ${name}`, () => {
      const manifest = JSON.parse(
        readFileSync(join(REPOSITORY, 'packages', name, 'package.json'), 'utf8'),
      )
      for (const field of ['description', 'license', 'keywords', 'engines', 'exports', 'files']) {
        assert.ok(manifest[field] !== undefined, field)
      }
      assert.notEqual(manifest.private, true)
      const readme = readFileSync(join(REPOSITORY, 'packages', name, 'README.md'), 'utf8')
      // A link into the repository leads nowhere on the page of a registry.
      assert.deepEqual(readme.match(/\]\((?!https:|#)[^)]*\)/g), null)
    })
  }
})

/** The programs of npm find the Node.js of this process. */
const PATH = { PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` }

/** A program of an integrator; it prints a name, and whether the vehicle is in Barcelona. */
const PROGRAM = `import { Fleetgate, type LatestPosition } from '@fleetgate/client'

const fleet = new Fleetgate({ baseUrl: process.argv[2]!, apiKey: process.argv[3]! })
const [first] = await fleet.objects.list()
const rows: LatestPosition[] = await fleet.positions.latest([first!.id])
console.log(first!.name, Math.round(rows[0]!.latitude!))
`
const CONFIG = {
  compilerOptions: { strict: true, module: 'nodenext', target: 'es2023', types: ['node'] },
  files: ['program.ts'],
}

describe('The packages, installed in an empty folder', { skip }, () => {
  const folder = temporaryFolder()
  let npx: ChildProcess
  let server: ServerProcess
  let key: string

  before(async () => {
    const packed = temporaryFolder()
    for (const name of ['server', 'client']) {
      pack(join(REPOSITORY, 'packages', name), '--pack-destination', packed)
    }
    sh(`npm install --omit=dev ${packed}/*.tgz`, folder)
    const started = startProgram(
      ['npx', 'fleetgate', 'serve', '--demo', ...ON_FREE_PORTS],
      PATH,
      folder,
    )
    npx = started
    server = await served(started)
    key = (await server.secrets()).key
  })
  after(() => npx?.kill('SIGKILL'))

  it('serve a demo fleet, with the pages that describe the API', async () => {
    const objects = await request(server.api, '/public/v1/objects', {
      headers: { 'x-api-key': key },
    })
    assert.equal(resultOf(objects).length, 25)
    for (const path of ['/openapi.json', '/docs', '/docs/try']) {
      assert.equal((await request(server.api, path)).status, 200, path)
    }
  })

  it('show the console', () => assertConsole(server.admin))

  it('give a program of TypeScript the types of the client in strict mode', async () => {
    sh('npm install --no-save @types/node@24 typescript', folder)
    writeFileSync(join(folder, 'program.ts'), PROGRAM)
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG))
    sh('npm pkg set type=module && npx tsc', folder)
    const printed = outputOf(process.execPath, ['program.js', server.api, key], folder)
    assert.equal(printed, 'Van 1 Tramuntana 41\n')
  })

  for (const command of ['fleetgate-pull', 'fleetgate pull']) {
    it(`bring positions into files: ${command}`, () => {
      const [program, ...args] = command.split(' ')
      assert.match(
        outputOf('npx', [program!, ...args, '--help'], folder),
        /^Usage: fleetgate.pull \[options\]\n/,
      )
    })
  }

  it('stop at SIGTERM to npx', async () => {
    const closed = once(npx, 'close')
    await server.stop()
    // The server holds the pipes of npx until it has ended.
    await closed
    await assert.rejects(request(server.api, '/public/v1/ping'), { code: 'ECONNREFUSED' })
  })
})
