import type { Command } from 'commander'
import { DESK_ACTS } from '../../acts/desk-acts.ts'
import { actCommand } from '../act-command.ts'
import { harmless } from '../failure.ts'
import { listing } from '../terminal.ts'

export function deskCommand(description: string): Command {
  return actCommand(DESK_ACTS.getDesk, {
    name: 'desk',
    description,
    examples: ['desk --org 1', 'desk --org 1 --json'],
    show: ({ items }) =>
      listing(items, [
        ...(['kind', 'id'] as const),
        ['NAME', ({ name }) => harmless(name)],
        ...(['recipient', 'purpose', 'since', 'expires_at'] as const),
        ['OBJECTS', ({ objects }) => objects ?? 'all'],
        ...(['from', 'until', 'rows'] as const),
        ['LAST READ (UTC DAY)', ({ last_read }) => last_read],
        'ended_at',
      ]),
  })
}
