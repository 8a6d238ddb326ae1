import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { newWebhookSecret, signWebhook } from '../../base/access/seal.ts'

const EXAMPLES = join(import.meta.dirname, '../../../../../examples/webhooks')
const folder = mkdtempSync(join(tmpdir(), 'fleetgate-receivers-'))
after(() => rmSync(folder, { recursive: true }))

const example = (name: string) => readFileSync(join(EXAMPLES, name), 'utf8')

type Message = { secret: string; headers: Record<string, string>; body: string; now: number }

/** Messages, and whether a receiver has to accept them. */
function messages(): [Message, boolean][] {
  const [secret, other] = [newWebhookSecret(), newWebhookSecret()]
  const body = '{"type":"changes","data":{"name":"Ağ 🚚"}}'
  const now = 1_795_255_200
  const signedBy = (by: string, time = now) => signWebhook(by, 'msg_1', time, Buffer.from(body))
  const message = (signature: string, more: Partial<Message> = {}, time = now): Message => {
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(time) }
    return { secret, headers: { ...headers, 'webhook-signature': signature }, body, now, ...more }
  }
  const right = signedBy(secret)
  return [
    [message(right), true],
    [message(`${signedBy(other)} ${right}`), true],
    [message(signedBy(other)), false],
    [message(right, { body: `${body} ` }), false],
    [message(right, {}, now - 1), false],
    [message(right.replace('v1,', 'v2,')), false],
    [message(''), false],
    [message(signedBy(secret, now - 301), {}, now - 301), false],
    [message(signedBy(secret, now - 299), {}, now - 299), true],
  ]
}

/** A program reads messages as JSON from its standard input and prints a JSON list of verdicts. */
function verdicts(command: string[], asked: [Message, boolean][]): boolean[] {
  const input = JSON.stringify(asked.map(([message]) => message))
  const [program, ...args] = command
  const { status, stdout, stderr } = spawnSync(program!, args, { input, cwd: folder })
  assert.equal(status, 0, String(stderr))
  return JSON.parse(String(stdout))
}

const has = (program: string, version: string) => spawnSync(program, [version]).status === 0

const PYTHON = `
import json, sys
print(json.dumps([
    is_genuine(m["secret"], m["headers"], m["body"].encode(), m["now"]) for m in json.load(sys.stdin)
]))
`

const GO = `package main

import (
	"encoding/json"
	"net/http"
	"os"
	"time"
)

func main() {
	var messages []struct {
		Secret  string
		Headers map[string]string
		Body    string
		Now     int64
	}
	json.NewDecoder(os.Stdin).Decode(&messages)
	verdicts := []bool{}
	for _, m := range messages {
		header := http.Header{}
		for name, value := range m.Headers {
			header.Set(name, value)
		}
		verdicts = append(verdicts, IsGenuine(m.Secret, header, []byte(m.Body), time.Unix(m.Now, 0)))
	}
	json.NewEncoder(os.Stdout).Encode(verdicts)
}
`

describe('An example of a receiver accepts what is signed, and nothing else', () => {
  const asked = messages()
  const expected = asked.map(([, isRight]) => isRight)

  it('in Node.js', async () => {
    const { isGenuine } = await import(pathToFileURL(join(EXAMPLES, 'verify.js')).href)
    const found = asked.map(([{ secret, headers, body, now }]) =>
      isGenuine(secret, headers, Buffer.from(body), now),
    )
    assert.deepEqual(found, expected)
  })

  it('in Python', { skip: !has('python3', '--version') && 'python3 is absent' }, () => {
    writeFileSync(join(folder, 'receiver.py'), example('verify.py') + PYTHON)
    assert.deepEqual(verdicts(['python3', 'receiver.py'], asked), expected)
  })

  it('in Go', { skip: !has('go', 'version') && 'go is absent' }, () => {
    writeFileSync(
      join(folder, 'receiver.go'),
      example('verify.go').replace('package webhook', 'package main'),
    )
    writeFileSync(join(folder, 'main.go'), GO)
    assert.deepEqual(verdicts(['go', 'run', 'receiver.go', 'main.go'], asked), expected)
  })
})
