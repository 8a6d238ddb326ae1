import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { newWebhookSecret, openWebhookSecret, sealWebhookSecret, signWebhook } from './seal.ts'
import { withoutSecrets } from './secret.ts'

describe('The secret of a webhook', () => {
  const deployment = createSecretKey(randomBytes(32))

  it('is a Standard Webhooks secret of 32 bytes', () => {
    const secret = newWebhookSecret()
    assert.match(secret, /^whsec_[0-9A-Za-z+/]{43}=$/)
    assert.notEqual(secret, newWebhookSecret())
  })

  it('is sealed for one organization of one deployment', () => {
    const secret = newWebhookSecret()
    const sealed = sealWebhookSecret(deployment, 7, secret)
    assert.equal(openWebhookSecret(deployment, 7, sealed), secret)
    assert.ok(!sealed.includes(secret.slice(6, 20)))
    assert.throws(() => openWebhookSecret(deployment, 8, sealed))
    assert.throws(() => openWebhookSecret(createSecretKey(randomBytes(32)), 7, sealed))
    sealed[sealed.length - 1]! ^= 1
    assert.throws(() => openWebhookSecret(deployment, 7, sealed))
  })

  it('signs as the example of the specification', () => {
    // https://github.com/standard-webhooks/standard-webhooks: the test vector of its libraries.
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const body = Buffer.from('{"test": 2432232314}')
    const signature = signWebhook(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, body)
    assert.equal(signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })

  it('is masked in texts that are shown', () => {
    const secret = newWebhookSecret()
    assert.equal(withoutSecrets(`the secret ${secret}.`), 'the secret whsec_….')
  })
})
