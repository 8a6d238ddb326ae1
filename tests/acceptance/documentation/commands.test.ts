/**
 * Every command of the documents: `fleetgate …` runs on a fleet of this file, `serve` is read, and curl asks a server.
 * `ELSEWHERE` names the tests of the others.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Command } from 'commander'
import { program } from '../../../packages/server/src/run/program.ts'
import { isEmbedded } from '../harness/deployment.ts'
import { REPOSITORY } from '../harness/fleetgate.ts'
import { makeTemplate, openScene } from './command-scene.ts'

/** Commands and pages that another test runs. */
const ELSEWHERE: readonly (readonly [command: RegExp, test: string])[] = [
  [/^copy /, 'tests/acceptance/process/command-line/copy.test.ts'],
  [/^attach /, 'tests/acceptance/process/command-line/attach.test.ts'],
  [/^distribute /, 'tests/acceptance/process/command-line/distribute.test.ts'],
  [/^pull /, 'tests/acceptance/client/pull.test.ts'],
  [/^people unlink /, 'tests/acceptance/admin/people-commands.test.ts'],
  [/^webhook redeliver /, 'tests/acceptance/process/webhooks/deliver.test.ts'],
  [/curl -N /, 'tests/acceptance/changes/stream.test.ts'],
]
const PAGES_ELSEWHERE: Record<string, string> = {
  'docs/first-fleet.md': 'tests/acceptance/documentation/first-fleet.test.ts',
  'docs/testing.md': 'tests/acceptance/documentation/testing.test.ts',
}
/** They delete what the commands after them on their pages need. */
const LAST = /^(?:org delete|people (?:disable|delete)) /

const withoutCurl = spawnSync('curl', ['--version']).status !== 0 && 'curl is absent'

/** A block of a shell, with a command on each line, or a command in a line of text. */
type Block = { page: string; text: string }

const texts = globSync('{docs/**,examples,packages/*,.}/*.md', { cwd: REPOSITORY })
  .sort()
  .map((page) => ({ page, text: readFileSync(join(REPOSITORY, page), 'utf8') }))
const blocks: Block[] = texts.flatMap(({ page, text }) =>
  Array.from(text.matchAll(/^ *```sh\n(.*?)^ *```|`(curl [^`\n]+)`/gms), ([, block, line]) => ({
    page,
    text: (block ?? line!).replaceAll(/\\\n\s*/g, ''),
  })),
)
const pages = new Set(blocks.map(({ page }) => page))

/** The commands of a block after `fleetgate`, without those of another test. */
function commandsIn({ text }: Block): string[] {
  return text
    .split('\n')
    .flatMap((line) => /^\s*(?:.*\bnpx )?fleetgate ((?!--version).*)$/.exec(line)?.[1] ?? [])
    .map((command) => command.replace(/ +# .*/, '').trim())
}

const isElsewhere = (text: string) => ELSEWHERE.some(([command]) => command.test(text))

describe('A command of the documents', {
  skip: isEmbedded ? false : 'the documents show it on a data folder',
}, async () => {
  const template = isEmbedded ? await makeTemplate() : undefined

  it('is there if another test is named for it', () => {
    const tests = [...ELSEWHERE.map(([, test]) => test), ...Object.values(PAGES_ELSEWHERE)]
    for (const test of tests) assert.ok(existsSync(join(REPOSITORY, test)), test)
    for (const page of Object.keys(PAGES_ELSEWHERE)) assert.ok(pages.has(page), page)
    const all = blocks.flatMap((block) => [...commandsIn(block), block.text])
    for (const [command] of ELSEWHERE)
      assert.ok(
        all.some((text) => command.test(text)),
        `${command}`,
      )
  })

  for (const page of pages) {
    if (PAGES_ELSEWHERE[page] !== undefined) continue
    const own = blocks.filter((block) => block.page === page)
    const commands = own
      .flatMap(commandsIn)
      .filter((text) => !isElsewhere(text))
      .sort((a, b) => Number(LAST.test(a)) - Number(LAST.test(b)))
    const asking = own
      .map(({ text }) => text)
      .filter((text) => /\bcurl /.test(text) && !isElsewhere(text))
    if (commands.length + asking.length === 0) continue
    it(`works: ${page}`, async (t) => {
      const scene = await openScene(page, template!)
      t.after(() => scene.stop())
      if (withoutCurl !== false && asking.length > 0) t.diagnostic(withoutCurl)
      else await scene.ask(asking.join('\n'))
      for (const text of commands) await scene.run(text)
    })
  }
})

it('A command that a line of the documents names exists, with its options', async () => {
  const named = texts.flatMap(({ page, text }) =>
    Array.from(text.matchAll(/`(?:npx )?fleetgate (\w[^`]+)`/g), ([, words]) => ({
      page,
      words: words!.split(/\s+/),
    })),
  )
  assert.ok(named.length > 50)
  const whole = await program()
  const wrong = named.filter(({ words }) => !exists(whole, words))
  assert.deepEqual(wrong, [])
})

it('An example in JSON is valid', () => {
  const examples = texts.flatMap(({ page, text }) =>
    Array.from(text.matchAll(/^ *```json\n(.*?)^ *```/gms), ([, json]) => ({ page, json: json! })),
  )
  assert.ok(examples.length > 5)
  for (const { page, json } of examples) assert.doesNotThrow(() => JSON.parse(json), page)
})

/** Whether the words lead to a command that has the options among them. */
function exists(command: Command, [word, ...rest]: string[]): boolean {
  const next = command.commands.find((each) => each.name() === word)
  if (next !== undefined) return exists(next, rest)
  // Another package has the options of `pull` and `mcp`.
  if (command.registeredArguments.some((argument) => argument.name() === 'options')) return true
  const flags = [word, ...rest].filter((each) => each?.startsWith('--') && each !== '--help')
  return (
    command.parent !== null &&
    flags.every((flag) => command.options.some(({ long }) => long === flag!.replace(/=.*/, '')))
  )
}
