/** The steps of docs/first-fleet.md, as a reader takes them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { request } from '../harness/client.ts'
import { REPOSITORY } from '../harness/fleetgate.ts'
import { commandLine } from '../harness/make-fleet.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import { seen } from '../harness/seen.ts'
import { serveHere } from '../harness/server-here.ts'

const PAGE = readFileSync(join(REPOSITORY, 'docs/first-fleet.md'), 'utf8')

/** The words of each command that the page gives in this step, without `npx` and comments. */
function commandsOf(step: number): string[][] {
  const section = PAGE.split(/^## /m).find((each) => each.startsWith(`${step}. `))!
  const lines = section.match(/^npx fleetgate .*$/gm) ?? []
  return lines.map((line) => {
    const words = line
      .replace(/#.*/, '')
      .match(/'[^']*'|\S+/g)!
      .slice(2)
    return words.map((word) => word.replaceAll("'", '').replace(/^examples\//, EXAMPLES))
  })
}

const EXAMPLES = join(REPOSITORY, 'examples/')
const deployment = await newDeployment()
const { runHere } = await commandLine()
const run = async (words: string[], expected = 0) => {
  const { code, stdout, stderr } = await runHere([...words, ...deployment.args])
  assert.equal(code, expected, stderr)
  return stdout
}

it('The tutorial of the first fleet gives what it shows', async () => {
  const printed = []
  for (const words of commandsOf(1)) {
    // Two of the positions are not in.
    printed.push(await run(words, words[1] === 'positions' ? 1 : 0))
  }
  const [, summary] = /```text\n(FILE.*?)```/s.exec(PAGE)!
  const whole = printed.map((each) => each.replaceAll(EXAMPLES, ''))[2]!
  // The page shows the beginning.
  assert.equal(whole.slice(0, summary!.length), summary)

  const [issue, start] = commandsOf(2)
  assert.deepEqual(start, ['serve'])
  const [key] = /fg_live_\w{36}/.exec(await run(issue!))!
  const server = await serveHere(deployment, ['--geocoder', 'off'])
  after(() => server.stop())

  const [, path] = /7070(\/public\/v1\/[^']+)/.exec(PAGE)!
  const history = await request(server.api, path!, { headers: { 'x-api-key': key } })
  assert.equal(history.status, 200)
  assert.ok(history.json.result.length > 100)

  const [token] = /fg_feed_\w{36}/.exec(await run(commandsOf(4)[0]!))!
  await seen(deployment)
  const [, target, body] = /7071(\S+) -d '([^']+)'/.exec(PAGE)!
  const sent = { method: 'POST', headers: { 'x-feed-token': token }, body: body! }
  const answer = await request(server.feed, target!, sent)
  assert.equal(answer.status, 200, answer.text)
  const detail = await request(server.api, '/public/v1/objects/3', {
    headers: { 'x-api-key': key },
  })
  assert.equal(detail.json.result.speed, 31)
})
