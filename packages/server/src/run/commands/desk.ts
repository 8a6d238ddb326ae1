import type { Command } from 'commander'
import { DESK_ACTS } from '../../acts/desk.ts'
import { actCommand } from '../act-command.ts'
import { harmless } from '../failure.ts'
import { listing } from '../terminal.ts'

export function deskCommand(description: string): Command {
  return actCommand(DESK_ACTS.getDesk, {
    name: 'desk',
    description,
    examples: ['desk 1', 'desk 1 --json'],
    numbers: { organization: { as: 'organization' } },
    show: ({ items }) =>
      listing(items, [
        ...(['kind', 'id'] as const),
        ['NAME', ({ name }) => harmless(name)],
        ...(['recipient', 'purpose', 'since', 'expires_at'] as const),
        ['OBJECTS', ({ objects }) => objects ?? 'all'],
        ...(['from', 'until', 'rows', 'last_read', 'ended_at'] as const),
      ]),
  })
}
