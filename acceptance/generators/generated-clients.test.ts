/**
 * Clients that generators make of the API's description, in strict TypeScript, each with all operations against a
 * running server. `npm run acceptance:generators` installs the generators first.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { type Json, REPOSITORY } from '../harness/fleetgate.ts'
import { PREFIX } from '../harness/organization.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const run = promisify(execFile)
const INSTALLED = join(import.meta.dirname, 'node_modules')
const DESCRIPTION = join(REPOSITORY, 'packages/server/openapi.json')
const RANGE = 'from_time=2024-01-01&to_time=2024-12-31'

/** The arguments of each generator's command that make it write its client to a folder. */
const GENERATORS: Record<string, (out: string, base: string) => [command: string, ...string[]]> = {
  'openapi-fetch': (out) => ['openapi-typescript', DESCRIPTION, '-o', join(out, 'schema.ts')],
  'hey-api': (out) => ['openapi-ts', '-i', DESCRIPTION, '-o', out, '-c', '@hey-api/client-fetch'],
  orval: (out, base) => ['orval', '--config', orvalConfig(out, base)],
  'openapi-typescript-codegen': (out) => {
    return ['openapi', '--input', DESCRIPTION, '--output', out, '--useOptions']
  },
  'swagger-typescript-api': (out) => {
    return ['swagger-typescript-api', 'generate', '-p', DESCRIPTION, '-o', out, '-n', 'api.ts']
  },
}

function orvalConfig(out: string, baseUrl: string): string {
  const output = { target: join(out, 'api.ts'), client: 'fetch', baseUrl }
  const file = join(out, 'orval.config.mjs')
  mkdirSync(out, { recursive: true })
  const config = { fleetgate: { input: DESCRIPTION, output } }
  writeFileSync(file, `export default ${JSON.stringify(config)}`)
  return file
}

/** A folder with the programs, for which generated clients are to come. */
function openWorkshop(): string {
  const folder = temporaryFolder()
  cpSync(join(import.meta.dirname, 'programs'), folder, { recursive: true })
  symlinkSync(INSTALLED, join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return folder
}

const isInstalled = existsSync(join(INSTALLED, '.bin/orval'))
const skip = !isInstalled && 'npm run acceptance:generators installs the generators'

describe('A client made by', { skip }, async () => {
  if (!isInstalled) return
  const names = Object.keys(GENERATORS)
  const fleet = await startFleet({ full: 3, plain: names.length - 3 })
  const plain = Array.from({ length: names.length - 3 }, () => fleet.take())
  const organizations = [...fleet.full, ...plain]
  const folder = openWorkshop()
  const base = fleet.server.api + PREFIX
  const command = (name: string, ...args: string[]) =>
    run(join(INSTALLED, '.bin', name), args, { cwd: folder })

  for (const [i, name] of names.entries()) {
    it(`${name} compiles, and asks for everything`, async () => {
      const organization = organizations[i]!
      const [generator, ...args] = GENERATORS[name]!(join(folder, 'generated', name), base)
      await command(generator, ...args)
      const program = join(folder, `${name}.ts`)
      const checks = ['--strict', '--noUncheckedIndexedAccess', '--noEmit', '--skipLibCheck']
      const kind = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2023']
      const libraries = ['--lib', 'es2023,dom,dom.iterable', '--types', 'node']
      await command('tsc', ...checks, ...kind, ...libraries, program).catch(({ stdout }) =>
        assert.fail(stdout),
      )
      const script = join(folder, `${name}.mjs`)
      const bundling = ['--bundle', '--platform=node', '--format=esm', `--outfile=${script}`]
      await command('esbuild', program, ...bundling)
      const env = { ...process.env, BASE: base, KEY: organization.key }
      const { stdout } = await run(process.execPath, [script], { env, maxBuffer: 1 << 26 })
      const answers: Json = JSON.parse(stdout)

      const ids: number[] = answers.objects.map(({ id }: Json) => id).slice(0, 2)
      assert.deepEqual(answers.objects, resultOf(await organization.get('/objects')))
      const history = await organization.get(`/objects/${ids[0]}/positions?${RANGE}`)
      assert.deepEqual(answers.positions, resultOf(history))
      const latest = await organization.get(`/positions/latest?ids=${ids[1]},${ids[0]}`)
      assert.deepEqual(answers.latest, resultOf(latest))
      assert.equal(answers.latest.length, 2)
      assert.equal(answers.object.id, ids[0])
      for (const kind of ['geofences', 'routes', 'sites']) {
        assert.equal(answers[kind].length > 0, i < fleet.full.length, kind)
      }
      assert.deepEqual(answers.ping, { status: 'ok' })
    })
  }
})
