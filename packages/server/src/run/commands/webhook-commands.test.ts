import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { runHere } from '../../../testing/command-line/run-here.ts'
import { json, temporaryFolder } from '../../../testing/command-line/spawned.ts'
import { openStore } from '../compose.ts'

const URL = 'https://example.com/fleet?token=in-the-url'

it('a webhook is registered, changed, rotated, tested and deleted', async (t) => {
  const folder = await temporaryFolder(t)
  const data = ['--data', folder]
  const org = ['--org', String((await json(['org', 'create', 'A', ...data])).id), ...data]
  const object = await newObject(folder)

  const made = await json(['webhook', 'create', '--url', URL, ...org])
  assert.match(made.secret, /^whsec_/)
  assert.deepEqual(
    [made.url, made.types, made.ids, made.from, made.state],
    [URL, null, null, 'snapshot', 'on'],
  )
  const webhook = String(made.id)

  const chosen = [
    '--types',
    'states,positions',
    '--ids',
    String(object),
    '--from',
    'now',
    '--include',
    'exact,quality',
  ]
  const changed = await json(['webhook', 'update', webhook, ...chosen, ...org])
  assert.deepEqual(changed.types, ['positions', 'states'])
  assert.deepEqual([changed.ids, changed.from], [[object], 'now'])
  assert.deepEqual([made.include, changed.include], [null, ['quality', 'exact']])
  assert.equal(changed.secret, undefined)
  const all = await json([
    'webhook',
    'update',
    webhook,
    '--types',
    'all',
    '--include',
    'none',
    '--off',
    ...org,
  ])
  assert.deepEqual(
    [all.types, all.include, all.state, all.off_reason],
    [null, null, 'off', 'operator'],
  )
  assert.equal((await json(['webhook', 'update', webhook, '--on', ...org])).state, 'on')

  const rotate = ['webhook', 'update', webhook, '--rotate-secret', '--overlap', '2h', ...org]
  const rotated = await json(rotate)
  assert.match(rotated.secret, /^whsec_/)
  assert.notEqual(rotated.secret, made.secret)
  const until = Date.parse(rotated.old_secret_until) - Date.parse(rotated.updated_at)
  assert.equal(until, 2 * 3_600_000)

  const test = await json(['webhook', 'test', webhook, ...org])
  assert.deepEqual([test.number, test.kind, test.is_wanted], [1, 'test', true])
  const again = await json(['webhook', 'redeliver', webhook, '1', ...org])
  assert.equal(again.message_id, test.message_id)
  const missing = await runHere(['webhook', 'redeliver', webhook, '2', ...org])
  assert.match(missing.stderr, /organization 1 has no delivery 2; .* deliveries --org 1 1/)
  assert.deepEqual(await json(['webhook', 'deliveries', webhook, ...org]), [again])

  const list = await json(['webhook', 'list', ...org])
  assert.equal(list.length, 1)
  const database = await readFile(join(folder, 'fleetgate.db'), 'latin1')
  for (const { secret } of [made, rotated]) {
    const key = secret.slice('whsec_'.length)
    assert.ok(!JSON.stringify(list).includes(key))
    assert.ok(!database.includes(key), 'the secret is sealed')
  }
  assert.ok(!(await auditText(folder)).includes('in-the-url'))

  const removed = await json(['webhook', 'delete', webhook, '--yes', ...org])
  assert.deepEqual(removed, { id: made.id, deleted: true })
  const gone = await runHere(['webhook', 'test', webhook, ...org])
  assert.equal(gone.code, 1)
  assert.match(gone.stderr, /organization 1 has no webhook 1/)
})

async function newObject(folder: string): Promise<number> {
  const store = await openStore({ folder })
  const { ids } = await store.objects.ensure(1, ['van'], Date.now())
  await store.close()
  return ids.get('van')!
}

/** The actions and details of all entries of the audit log. */
async function auditText(folder: string): Promise<string> {
  const store = await openStore({ folder })
  const entries = await store.audit.list({ organization: 1, before: null, limit: 100 })
  await store.close()
  const actions = entries.map(({ action }) => action).filter((each) => each.startsWith('webhook'))
  assert.deepEqual(actions.toReversed(), [
    'webhook.create',
    ...Array(3).fill('webhook.update'),
    'webhook.rotate',
    'webhook.test',
    'webhook.redeliver',
  ])
  return JSON.stringify(entries)
}

it('a webhook is refused if a setting breaks its rule', async (t) => {
  const data = ['--data', await temporaryFolder(t)]
  await json(['org', 'create', 'A', ...data])
  const refused = async (...options: string[]) => {
    const { code, stderr } = await runHere(['webhook', 'create', '--org', '1', ...options, ...data])
    assert.notEqual(code, 0)
    return stderr
  }
  const at = ['--url', URL]
  for (const url of ['ftp://example.com', 'https://a:b@example.com', 'https://e.com/#x', 'x']) {
    assert.match(await refused('--url', url), /must be an https or mqtts URL/)
  }
  assert.match(await refused('--url', 'http://example.com'), /must begin with https:/)
  const mqtt = ['--form', 'mqtt', '--url']
  assert.match(await refused(...mqtt, URL), /must begin with mqtts:.. or mqtt:/)
  assert.match(await refused(...mqtt, 'mqtts://example.com/a+b'), /without \+ and \$/)
  const relay = [...at, '--form', 'traccar']
  assert.match(await refused(...relay, '--types', 'states'), /a relay sends positions only/)
  for (const credentials of ['user:password', 'Host: example.com', 'X-A: b\r\nc']) {
    assert.match(await refused(...relay, '--credentials', credentials), /credentials must be/)
  }
  assert.match(await refused(...at, '--credentials', 'X-Token: a'), /deliveries are signed/)
  assert.match(await refused(), /--url is required/)
  assert.match(await refused(...at, '--types', 'positions,trucks'), /must be a list of positions/)
  assert.match(await refused(...at, '--ids', '0'), /must be a list of up to 1000 ids/)
  assert.match(await refused(...at, '--ids', '7'), /has no 7/)
  assert.match(await refused(...at, '--from', 'later'), /snapshot, history, now/)
})

it('a webhook has grants, and a recipient and a purpose if the organization requires them', async (t) => {
  const data = ['--data', await temporaryFolder(t)]
  await json(['org', 'create', 'A', '--keys-need-purpose', ...data])
  const args = (...words: string[]) => ['webhook', ...words, '--org', '1', ...data]
  const to = ['--url', URL]
  const refused = async (...words: string[]) => (await runHere(args(...words))).stderr
  assert.match(await refused('create', ...to), /recipient is missing/)
  const disclosee = ['--recipient', 'Insurer Ltd', '--purpose', 'a claim']
  const grant = ['--grant', 'from=2026-11-20;until=2026-11-21']
  assert.match(await refused('create', ...to, ...disclosee, '--grant', 'objects=9'), /has no 9/)
  const { recipient, purpose, grants } = await json(args('create', ...to, ...disclosee, ...grant))
  assert.deepEqual([recipient, purpose], ['Insurer Ltd', 'a claim'])
  const from = '2026-11-20T00:00:00.000Z'
  const until = '2026-11-21T23:59:59.999Z'
  assert.deepEqual(grants, [{ objects: null, from, until, attributes: null }])
  assert.match(await refused('update', '1', '--purpose', ''), /purpose is missing/)
  assert.equal((await json(args('update', '1', '--grant', 'all'))).grants, null)
})

it('a relay has sealed credentials instead of a secret, and no test', async (t) => {
  const folder = await temporaryFolder(t)
  const data = ['--data', folder]
  await json(['org', 'create', 'A', ...data])
  const run = (...args: string[]) => json(['webhook', ...args, '--org', '1', ...data])
  const refused = async (...args: string[]) =>
    (await runHere(['webhook', ...args, '--org', '1', ...data])).stderr
  const to = ['--form', 'mqtt', '--url', 'mqtts://broker.example.com/fleet']
  const created = await run('create', ...to, '--credentials', 'fleet:a long password')
  assert.equal(created.form, 'mqtt')
  assert.equal(created.has_credentials, true)
  assert.ok(!('secret' in created) && !('credentials' in created))
  const [listed] = await run('list')
  assert.ok(!JSON.stringify([created, listed]).includes('password'))
  assert.match(await refused('test', '1'), /a relay sends positions only/)
  assert.match(await refused('update', '1', '--rotate-secret'), /a relay has no secret/)
  assert.match(await refused('update', '1', '--url', URL), /must begin with mqtts/)
  assert.match(
    await refused('update', '1', '--url', 'mqtts:///fleet'),
    /must be an https or mqtts URL/,
  )
  const elsewhere = await refused('update', '1', '--url', 'mqtts://other.example.com/fleet')
  assert.match(elsewhere, /credentials is required when the host of the URL changes/)
  const cleared = await run('update', '1', '--credentials', 'none')
  assert.equal(cleared.has_credentials, false)
  const store = await openStore({ folder })
  assert.equal((await store.webhooks.find(1, 1))!.secret, null)
  await store.close()
})
