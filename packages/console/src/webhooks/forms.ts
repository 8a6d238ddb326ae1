import type { Webhook } from '../api/types.ts'
import { t } from '../language/text.ts'

type Form = Webhook['form']

/** The forms of deliveries. All but changes are relays, which send each position as other platforms receive it. */
export const FORM_NAMES: Record<Form, string> = {
  changes: t('Changes (signed JSON)'),
  osmand: 'OsmAnd',
  traccar: 'Traccar',
  mqtt: 'MQTT',
}

export const ADDRESSES: Record<Form, { placeholder: string; help: string }> = {
  changes: {
    placeholder: 'https://example.com/fleet',
    help: t(
      'The server sends POST requests to this address. The address must start with https://.',
    ),
  },
  osmand: {
    placeholder: 'https://example.com:5055/',
    help: t('The server sends one request for each position, as the OsmAnd app does.'),
  },
  traccar: {
    placeholder: 'https://example.com/positions',
    help: t('The server sends one request for each position, as Traccar forwards it.'),
  },
  mqtt: {
    placeholder: 'mqtts://broker.example.com/fleet',
    help: t('The server sends one message for each position. The path begins the topic.'),
  },
}

/** The help of the credentials that a relay presents to its receiver. */
export const CREDENTIAL_HELP: Record<Exclude<Form, 'changes'>, string> = {
  osmand: t('A header such as Authorization: Bearer …, if the receiver needs one.'),
  traccar: t('A header such as Authorization: Bearer …, if the receiver needs one.'),
  mqtt: t('user:password, if the broker needs them.'),
}

type Start = Webhook['from']

export const STARTS: Record<Start, string> = {
  snapshot: t('Objects, places and current states'),
  history: t('Objects, places, current states and all stored positions'),
  now: t('Only changes from now on'),
}

/** A relay sends positions, and nothing else. */
export const RELAY_STARTS: Record<Start, string> = {
  snapshot: t('Current positions'),
  history: t('All stored positions'),
  now: t('Only positions from now on'),
}
