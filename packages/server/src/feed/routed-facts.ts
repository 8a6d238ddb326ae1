import { ORGANIZATION_RULES } from '../domain/organization.ts'
import type { RoutedFacts } from '../domain/routing.ts'
import type { Packet, Sender } from './packet.ts'

/** The facts of a packet that rules look at. */
export function routedFacts({ ident, sender }: Packet): RoutedFacts {
  return {
    ident,
    groups: groupsOf(sender),
    attribute: (name) => sender && attributeOf(sender, name),
  }
}

/** The name and the group of a device, for the list of waiting idents. Texts that no list can show are left out. */
export function shownSender(sender: Sender | undefined): {
  name: string | null
  group: string | null
} {
  const shown = (text: string | undefined) =>
    text !== undefined && ORGANIZATION_RULES.name.holds(text) ? text : null
  return {
    name: shown(textOf(sender?.device ?? undefined, 'name')),
    group: shown(groupsOf(sender)[0]),
  }
}

/** Traccar sends the number of the group, 0 for none. A program in between may add its name. */
function groupsOf(sender: Sender | undefined): string[] {
  const device = sender?.device ?? undefined
  const found = ['groupName', 'groupId'].map((name) => textOf(device, name))
  return found.filter((group) => group !== undefined && group !== '0') as string[]
}

/** An attribute of the position, else of the device, else a field of the device such as `category`. */
function attributeOf({ device, attributes }: Sender, name: string): string | undefined {
  const own = device?.attributes as Sender['device'] | undefined
  for (const each of [attributes, own, device]) {
    const found = textOf(each ?? undefined, name)
    if (found !== undefined) return found
  }
  return undefined
}

/** A text, a number or a switch as text. */
function textOf(fields: Sender['device'] | undefined, name: string): string | undefined {
  if (typeof fields !== 'object' || fields === null || !Object.hasOwn(fields, name))
    return undefined
  const value = fields[name]
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined
}
