import { Counter, Histogram, type Registry } from 'prom-client'
import type { WebhookCounts } from '../../webhooks/start-webhooks.ts'

/** A receiver has 15 seconds to answer. */
const BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

/** The series of the deliveries to webhooks. */
export function webhookSeries(registry: Registry): WebhookCounts {
  const registers = [registry]
  const deliveries = new Counter({
    name: 'fleetgate_webhook_deliveries_total',
    help: 'Tries to deliver to webhooks, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const seconds = new Histogram({
    name: 'fleetgate_webhook_delivery_seconds',
    help: 'Seconds from the begin of a try to the end of its answer.',
    buckets: BUCKETS_S,
    registers,
  })
  const switchedOff = new Counter({
    name: 'fleetgate_webhooks_switched_off_total',
    help: 'Webhooks that were switched off, because they failed for three days.',
    registers,
  })
  return {
    tried(outcome, durationMs) {
      deliveries.inc({ outcome })
      seconds.observe(durationMs / 1_000)
    },
    switchedOff: () => switchedOff.inc(),
  }
}
