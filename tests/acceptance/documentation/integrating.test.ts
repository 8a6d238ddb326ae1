/** The programs in Python, and the expressions for low-code tools, of docs/integrating.md. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { type Json, REPOSITORY } from '../harness/fleetgate.ts'

const PAGE = readFileSync(join(REPOSITORY, 'docs/integrating.md'), 'utf8')
/** The range of the 1,200 positions of the long haul. */
const RANGE = 'from_time=2024-05-06&to_time=2024-06-06'

const fleet = await startFleet({ full: 0, plain: 4 })
const isPythonHere = spawnSync('python3', ['--version']).status === 0
const isPandasHere = spawnSync('python3', ['-c', 'import pandas']).status === 0

function replaced(text: string, replacements: [string, string][]): string {
  for (const [there] of replacements) assert.ok(text.includes(there), there)
  return replacements.reduce((before, [there, here]) => before.replaceAll(there, here), text)
}

it('The program in Python reads latest positions and follows pages', {
  skip: !isPythonHere && 'python3 is absent',
}, async () => {
  const organization = fleet.take()
  const { van, longHaul } = organization.objects
  const program = replaced(readFileSync(join(REPOSITORY, 'examples/history.py'), 'utf8'), [
    ['http://127.0.0.1:7070', fleet.server.api],
    ['/objects/1/', `/objects/${longHaul}/`],
    ['from_time=2026-11-20&to_time=2026-11-20', RANGE],
    ['limit=1000', 'limit=500'],
  ])
  const { stdout } = await promisify(execFile)('python3', ['-c', program], {
    env: { ...process.env, FLEETGATE_API_KEY: organization.key },
  })
  const [{ name, latitude, longitude }]: Json = resultOf(
    await organization.get(`/positions/latest?ids=${van}`),
  )
  const lines = stdout.trimEnd().split('\n')
  assert.equal(lines[0], `${name} ${latitude} ${longitude}`)
  assert.equal(lines.at(-1), '1200 rows')
})

it('The program with pandas reads the positions of the fleet', {
  skip: !isPandasHere && 'pandas is absent',
}, async () => {
  const organization = fleet.take()
  const [, program] = /```python\n(import os\nimport pandas.*?)```/s.exec(PAGE)!
  const here = replaced(program!, [
    ['http://127.0.0.1:7070', fleet.server.api],
    ['from_time=2026-11-20&to_time=2026-11-20', RANGE],
  ])
  const { stdout } = await promisify(execFile)(
    'python3',
    ['-c', `${here}\nprint(len(positions), positions["ident"].dtype)`],
    { env: { ...process.env, FLEETGATE_API_KEY: organization.key } },
  )
  const rows: Json[] = resultOf(await organization.get(`/positions?ids=all&${RANGE}`))
  assert.match(stdout, new RegExp(`\\n${rows.length} (?:str|object)\\n$`))
  const longHaul = rows.filter(({ id }) => id === organization.objects.longHaul)
  const fastest = Math.max(...longHaul.map(({ speed }) => speed))
  const [, shown] = /^Long haul +([\d.]+)$/m.exec(stdout)!
  assert.equal(Number(shown), fastest)
})

it('The expressions for low-code tools lead through all pages', async () => {
  const { key, objects } = fleet.take()
  const cell = (setting: string) => PAGE.split(`| ${setting} | \``)[1]!.split('` |')[0]!
  /** The text with what its `{{ }}` give, as a tool fills it in. */
  const filled = (text: string, $response: { headers: Json }) =>
    text.replace(/\{\{(.*?)\}\}/g, (_, code) =>
      new Function('$response', `return ${code}`)($response),
    )
  const next = replaced(cell('Pagination: Response Contains Next URL'), [
    ['https://fleet.example.com', fleet.server.api],
  ])
  const isComplete = cell('Pagination Complete When: Other')
  let url = `${fleet.server.api}/public/v1/objects/${objects.longHaul}/positions?${RANGE}&limit=500`
  const pages: number[] = []
  for (;;) {
    const answer = await fetch(url, { headers: { 'x-api-key': key } })
    pages.push(((await answer.json()) as Json).result.length)
    const $response = { headers: Object.fromEntries(answer.headers) }
    if (filled(isComplete, $response) === 'true') break
    url = filled(next, $response)
  }
  assert.deepEqual(pages, [500, 500, 200])
})
