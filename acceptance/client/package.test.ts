/** What is shipped, as somebody installs it, and what its README says one can do with it. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { type FleetOrganization, startFleet } from '../harness/fleet.ts'
import { type Json, REPOSITORY } from '../harness/fleetgate.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { importDrive, numbersFrom } from './imported-drive.ts'

const PACKAGE = join(REPOSITORY, 'packages/client')
const TSC = join(REPOSITORY, 'node_modules/typescript/bin/tsc')

const fleet = await startFleet({ full: 0, plain: 5 })
const folder = temporaryFolder()
const shipped = pack()
const installed = join(folder, 'node_modules/@fleetgate/client')
const recipes = recipesOf(readFileSync(join(PACKAGE, 'README.md'), 'utf8'))

/** Packs and unpacks it where a program finds it; the names of its files. */
function pack(): string[] {
  const printed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: PACKAGE,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  // A build may print before it.
  const [{ filename, files }]: Json = JSON.parse(printed.slice(printed.search(/^\[/m)))
  const target = join(folder, 'node_modules/@fleetgate/client')
  mkdirSync(target, { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', target, '--strip-components=1'])
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return files.map(({ path }: Json) => path)
}

/** The programs of the README by the heading they stand under. */
function recipesOf(text: string): Map<string, string> {
  return new Map(
    text.split(/^#+ /m).flatMap((section) => {
      const code = /```ts\n(.*?)```/s.exec(section)?.[1]
      return code === undefined ? [] : [[section.split('\n')[0]!, code] as const]
    }),
  )
}

/** Starts a recipe as it stands, but for the address, and what is asked of. */
function start(name: string, organization: FleetOrganization, told: [string, string][] = []) {
  let code = recipes.get(name)!
  for (const [there, here] of [['https://fleet.example.com', fleet.server.api], ...told]) {
    assert.ok(code.includes(there!), `${there} is in ${name}`)
    code = code.replaceAll(there!, here!)
  }
  const file = join(folder, `${name.replaceAll(/\W/g, '-')}.ts`)
  writeFileSync(file, code)
  const env = { ...process.env, FLEETGATE_API_KEY: organization.key }
  return spawn(process.execPath, [file], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
}

async function run(...args: Parameters<typeof start>): Promise<string> {
  const child = start(...args)
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text))
  const [code] = await once(child, 'close')
  assert.equal(code, 0)
  return stdout
}

function assertTyped(part: string, surroundings: { lib: string[]; types: string[] }): void {
  const typeRoots = [join(REPOSITORY, 'node_modules/@types')]
  const checks = { strict: true, noEmit: true, skipLibCheck: false, typeRoots }
  const kind = { module: 'nodenext', target: 'es2023', ...surroundings }
  const config = { compilerOptions: { ...checks, ...kind }, include: [part] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  execFileSync(process.execPath, [TSC, '-p', folder], { stdio: 'inherit' })
}

const DAY: [string, string] = ['2026-11-20', '2024-05-06']

describe('The package', () => {
  it('holds what is compiled, with its types, and nothing else', () => {
    const others = shipped.filter((path) => !/^dist\/(pull\/)?[a-z-]+(\.d)?\.(js|ts)$/.test(path))
    assert.deepEqual(others.sort(), [
      'LICENSE',
      'README.md',
      'bin/fleetgate-pull.js',
      'package.json',
    ])
    for (const path of ['dist/index.js', 'dist/index.d.ts', 'dist/pull/main.js']) {
      assert.ok(shipped.includes(path), path)
    }
    assert.ok(!shipped.some((path) => /test|fixture/.test(path)))
    const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    assert.equal(dependencies, undefined)
  })

  it('brings a command', () => {
    const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    const command = join(installed, bin['fleetgate-pull'])
    const help = execFileSync(process.execPath, [command, '--help'], { encoding: 'utf8' })
    assert.match(help, /^Usage: fleetgate-pull \[options\]\n/)
  })
})

describe('The README', () => {
  it('has programs that are right by their types', () => {
    const typed = join(folder, 'typed')
    mkdirSync(typed)
    const begun = recipesOf(readFileSync(join(REPOSITORY, 'README.md'), 'utf8'))
    for (const [i, code] of [...recipes.values(), ...begun.values()].entries()) {
      writeFileSync(join(typed, `recipe-${i}.ts`), code)
    }
    assertTyped('typed', { lib: ['es2023'], types: ['node'] })
    assert.deepEqual([recipes.size, begun.size], [6, 1])
  })

  it('needs no types of Node for the client itself', () => {
    mkdirSync(join(folder, 'elsewhere'))
    const use =
      "import { Fleetgate } from '@fleetgate/client'\nexport const all = (client: Fleetgate) => client.objects.list()\n"
    writeFileSync(join(folder, 'elsewhere/use.ts'), use)
    assertTyped('elsewhere', { lib: ['es2023', 'dom'], types: [] })
  })

  it('begins with a program that lists objects', async () => {
    const organization = fleet.take()
    const { van, truck, longHaul, silent } = organization.objects
    assert.equal(
      await run('@fleetgate/client', organization),
      `${van} Van "Nordwind", 1\n${truck} Kamyon Ö 2\n${longHaul} Long haul\n${silent} Silent\n`,
    )
  })

  it('syncs into a database, each night what has come, and what came late', async () => {
    const organization = fleet.take()
    const { silent } = organization.objects
    const counts = () => {
      const store = new DatabaseSync(join(folder, 'fleet.db'))
      const rows = store.prepare('SELECT id, count(*) AS rows FROM positions GROUP BY id').all()
      store.close()
      return new Map(rows.map(({ id, rows }) => [id, rows]))
    }
    const { van, truck, longHaul } = organization.objects
    const others = [
      [van, 12],
      [truck, 3],
      [longHaul, 1_200],
    ] as const
    await run('A nightly sync into a database', organization)
    assert.deepEqual(counts(), new Map(others))
    await importDrive(fleet, organization, 'silent', numbersFrom(0, 100))
    // It is about a time long ago, and so later than the recipe expects.
    const years: [string, string] = ['3 * 86_400_000', '9_000 * 86_400_000']
    await run('A nightly sync into a database', organization, [years])
    assert.deepEqual(counts(), new Map([...others, [silent, 100]]))
  })

  it('shows where vehicles are', async () => {
    const organization = fleet.take()
    const child = start('A live dashboard', organization, [['5_000', '50']])
    for await (const line of createInterface({ input: child.stdout })) {
      assert.match(line, /^Van "Nordwind", 1: 41\.\d+, 28\.\d+ at \d/)
      break
    }
    child.kill()
    await once(child, 'close')
  })

  it('writes CSV and GeoJSON', async () => {
    const organization = fleet.take()
    const { van, silent } = organization.objects
    const path = `/objects/${van}/positions?from_time=${DAY[1]}&to_time=${DAY[1]}`
    const rows: Json[] = resultOf(await organization.get(path))
    await run('CSV', organization, [DAY, ['history(3', `history(${van}`]])
    const lines = rows.map(
      (row) => `${row.time_device},${row.latitude},${row.longitude},${row.speed}`,
    )
    assert.deepEqual(readFileSync(join(folder, 'day.csv'), 'utf8').split('\n'), [
      'time_device,latitude,longitude,speed',
      ...lines,
      '',
    ])
    for (const [id, count] of [
      [van, rows.length],
      [silent, 0],
    ] as const) {
      await run('GeoJSON', organization, [DAY, ['history(3', `history(${id}`]])
      const { type, features } = JSON.parse(readFileSync(join(folder, 'day.geojson'), 'utf8'))
      assert.deepEqual([type, features.length], ['FeatureCollection', count])
    }
  })
})
