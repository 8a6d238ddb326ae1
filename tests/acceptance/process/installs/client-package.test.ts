/** Tests the published package as a user installs it, the programs of its README, and the examples. */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { importDrive, numbersFrom } from '../../client/imported-drive.ts'
import { resultOf } from '../../harness/envelope.ts'
import { type FleetOrganization, startFleet } from '../../harness/fleet.ts'
import { IDENTS } from '../../harness/fleet-data.ts'
import { type Json, REPOSITORY } from '../../harness/fleetgate.ts'
import { senderOf } from '../../harness/sender.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'
import { pack } from './installation.ts'

const PACKAGE = join(REPOSITORY, 'packages/client')
const TSC = join(REPOSITORY, 'node_modules/typescript/bin/tsc')

const fleet = await startFleet({ full: 0, plain: 8 })
const folder = temporaryFolder()
const installed = join(folder, 'node_modules/@fleetgate/client')
const shipped = unpack()
const recipes = new Map([
  ...recipesOf(readFileSync(join(PACKAGE, 'README.md'), 'utf8')),
  ...examples(),
])

/** Packs the package and unpacks it where a program finds it. Returns the names of its files. */
function unpack(): string[] {
  const { filename, files } = pack(PACKAGE, '--pack-destination', folder)
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1'])
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return files
}

/** The programs of the README by the heading above each. */
function recipesOf(text: string): Map<string, string> {
  return new Map(
    text.split(/^#+ /m).flatMap((section) => {
      const code = /```ts\n(.*?)```/s.exec(section)?.[1]
      return code === undefined ? [] : [[section.split('\n')[0]!, code] as const]
    }),
  )
}

/** The examples by the names of their files. */
function examples(): [string, string][] {
  return globSync(join(PACKAGE, 'examples/*.ts')).map((file) => [
    basename(file),
    readFileSync(file, 'utf8'),
  ])
}

/** Starts a recipe unchanged except for its address and its ids. */
function start(
  name: string,
  organization: FleetOrganization,
  replacements: [string, string][] = [],
) {
  let code = recipes.get(name)!
  for (const [there, here] of [['https://fleet.example.com', fleet.server.api], ...replacements]) {
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

const YARD = {
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      properties: { name: 'Yard' },
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [2, 41],
            [2.2, 41],
            [2.2, 41.2],
            [2, 41.2],
            [2, 41],
          ],
        ],
      },
    },
  ],
}
const DAY: [string, string] = ['2026-11-20', '2024-05-06']

describe('The package', () => {
  it('holds compiled code with its types, and nothing else', () => {
    const others = shipped.filter(
      (path) => !/^dist\/((changes|pull|replica)\/)?([a-z-]+\/)?[a-z-]+(\.d)?\.(js|ts)$/.test(path),
    )
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

  it('installs a command', () => {
    const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    const command = join(installed, bin['fleetgate-pull'])
    const help = execFileSync(process.execPath, [command, '--help'], { encoding: 'utf8' })
    assert.match(help, /^Usage: fleetgate-pull \[verify\] \[options\]\n/)
  })

  for (const [format, message] of [
    ['parquet', /^fleetgate-pull: Parquet requires .*npm install hyparquet-writer/],
    ['xlsx', /^fleetgate-pull: xlsx requires .*npm install hucre/],
  ] as const) {
    it(`asks for the package that writes ${format} before it reads anything`, () => {
      const command = join(installed, 'bin/fleetgate-pull.js')
      const out = join(folder, format)
      const options = ['--url', 'http://127.0.0.1:1', '--api-key', 'x', '--format', format]
      const { status, stderr } = spawnSync(process.execPath, [command, ...options, '--out', out], {
        encoding: 'utf8',
      })
      assert.equal(status, 1)
      assert.match(stderr, message)
      assert.ok(!existsSync(out))
    })
  }
})

describe('The README', () => {
  it('has programs with correct types', () => {
    const typed = join(folder, 'typed')
    mkdirSync(typed)
    const begun = recipesOf(readFileSync(join(REPOSITORY, 'README.md'), 'utf8'))
    for (const [i, code] of [...recipes.values(), ...begun.values()].entries()) {
      writeFileSync(join(typed, `recipe-${i}.ts`), code)
    }
    assertTyped('typed', { lib: ['es2023'], types: ['node'] })
    assert.deepEqual([recipes.size, begun.size], [8, 1])
  })

  it('needs no types of Node for the client itself', () => {
    mkdirSync(join(folder, 'elsewhere'))
    const use =
      "import { Fleetgate } from '@fleetgate/client'\nexport const all = (client: Fleetgate) => client.objects.list()\n"
    writeFileSync(join(folder, 'elsewhere/use.ts'), use)
    assertTyped('elsewhere', { lib: ['es2023', 'dom'], types: [] })
  })

  it('starts with a program that lists objects', async () => {
    const organization = fleet.take()
    const { van, truck, longHaul, silent } = organization.objects
    assert.equal(
      await run('@fleetgate/client', organization),
      `${van} Van "Nordwind", 1\n${truck} Kamyon Ö 2\n${longHaul} Long haul\n${silent} Silent\n`,
    )
  })

  it('syncs new, late and deleted positions into a database each night', async () => {
    const organization = fleet.take()
    const rowsIn = (sql: string) => {
      const store = new DatabaseSync(join(folder, 'fleet.db'))
      const rows = store.prepare(sql).all()
      store.close()
      return rows
    }
    const counts = () => {
      const rows = rowsIn('SELECT id, count(*) AS rows FROM positions GROUP BY id')
      return new Map(rows.map(({ id, rows }) => [id, rows]))
    }
    const { van, truck, longHaul, silent } = organization.objects
    const others = [
      [van, 12],
      [truck, 3],
    ] as const
    await run('nightly-sync.ts', organization)
    assert.deepEqual(counts(), new Map([...others, [longHaul, 1_200]]))
    await importDrive(fleet, organization, 'silent', numbersFrom(100, 300))
    await run('nightly-sync.ts', organization)
    await importDrive(fleet, organization, 'silent', numbersFrom(0, 100))
    const where = ['--org', String(organization.id), String(longHaul)]
    await fleet.run('objects', 'delete', ...where, '--yes')
    await run('nightly-sync.ts', organization)
    assert.deepEqual(counts(), new Map([...others, [silent, 300]]))
    const path = `/objects/${silent}/positions?from_time=2024-06-01&to_time=2024-06-01`
    const shown: Json[] = resultOf(await organization.get(path))
    const kept = rowsIn(
      `SELECT odometer_mm FROM positions WHERE id = ${silent} ORDER BY time_device`,
    )
    assert.deepEqual(
      kept.map(({ odometer_mm }) => Math.round(Number(odometer_mm) / 10_000) / 100),
      shown.map(({ odometer }) => odometer),
    )
  })

  it('keeps a replica in memory, and one in a database', async () => {
    const organization = fleet.take()
    const { van, truck, longHaul, silent } = organization.objects
    const printed = await run('A replica', organization)
    const counts = printed.match(/\d+(?= positions)/g)
    assert.deepEqual(counts, ['12', '3', '1200', '0'])
    const ids = [van, truck, longHaul, silent]
    for (const name of ['Another', 'Yet another']) {
      const kept = JSON.parse(await run('replica-in-sqlite.ts', organization))
      const path = `/positions/latest?ids=${ids}`
      assert.deepEqual(kept, resultOf(await organization.get(path)))
      const where = ['--org', String(organization.id), String(van)]
      await fleet.run('objects', 'update', ...where, '--name', name)
    }
  })

  it('lists the trips of a day', async () => {
    const printed = await run('trips-of-a-day.ts', fleet.take(), [DAY])
    assert.match(printed, /^Van "Nordwind", 1: [\d.]+ from .+ to \?\n/)
  })

  it('shows what moves', async () => {
    const own = await senderOf(fleet, fleet.take())
    const child = start('Changes', own)
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const line = lines.next()
    let latitude = 41
    // The program shows what comes after its first page, so send until it shows something.
    const posts = setInterval(() => {
      latitude += 0.01
      const time_device = new Date().toISOString()
      void own.post([{ ident: IDENTS.van, time_device, latitude, longitude: 2 }])
    }, 100)
    assert.match((await line).value ?? '', /^Van "Nordwind", 1 41\.\d+ 2$/)
    clearInterval(posts)
    child.kill()
    await once(child, 'close')
  })

  it('shows the positions of vehicles', async () => {
    const organization = fleet.take()
    const child = start('live-dashboard.ts', organization)
    for await (const line of createInterface({ input: child.stdout })) {
      assert.match(line, /^Van "Nordwind", 1: 41\.\d+, 28\.\d+ at \d/)
      break
    }
    child.kill()
    await once(child, 'close')
  })

  it('tells which vehicles enter a place, once, and not which are inside', async () => {
    const own = await senderOf(fleet, fleet.take(), '--create-objects')
    const file = join(folder, 'yard.geojson')
    writeFileSync(file, JSON.stringify(YARD))
    await fleet.run('import', 'geofences', '--org', String(own.id), file)
    const inside = (ident: string) => {
      const time_device = new Date().toISOString()
      return { ident, time_device, latitude: 41.1, longitude: 2.1 }
    }
    await own.post([inside(IDENTS.van)])
    const child = start('entry-alerts.ts', own)
    const told: string[] = []
    // The program reports what begins after its first page, so new vehicles come until it reports one. That
    // one then reports again, together with the last vehicle.
    let ticks = 0
    const posts = setInterval(() => {
      ticks += 1
      const idents = told.length === 0 ? [`vehicle ${ticks}`] : [told[0]!, 'the last vehicle']
      void own.post([IDENTS.van, ...idents].map(inside))
    }, 100)
    for await (const line of createInterface({ input: child.stdout })) {
      told.push(/^\d{4}-\S+Z (.+) entered Yard$/.exec(line)![1]!)
      if (told.at(-1) === 'the last vehicle') break
    }
    clearInterval(posts)
    child.kill()
    await once(child, 'close')
    assert.equal(new Set(told).size, told.length)
    for (const name of told) assert.match(name, /vehicle/)
  })
})
