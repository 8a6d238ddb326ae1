import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { change } from '../api/client.ts'
import { placeOf, usePeople } from '../api/queries.ts'
import type { Person } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Changing } from '../ui/changing.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { Problem } from '../ui/state/Problem.tsx'
import { ChangeRole } from './ChangeRole.tsx'
import { EndAccess } from './EndAccess.tsx'
import { InvitePerson } from './InvitePerson.tsx'
import { type Deed, PeopleTable } from './PeopleTable.tsx'
import { RenamePerson } from './RenamePerson.tsx'
import { ResetPerson } from './ResetPerson.tsx'
import { Sessions } from './Sessions.tsx'

type PeopleCardProps = {
  organization: number | null
  nameOf: (organization: number) => string
  lead: string
}

type Doing = { deed: 'invite' } | { deed: Exclude<Deed, 'enable'>; person: Person }

export function PeopleCard({ organization, nameOf, lead }: PeopleCardProps) {
  const people = usePeople(organization)
  const client = useQueryClient()
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  const enable = useMutation({
    mutationFn: (id: number) =>
      change('PATCH', `${placeOf(organization)}/people/${id}`, { is_disabled: false }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['people'] }),
  })
  return (
    <Card
      title="People"
      lead={lead}
      actions={
        <Changing>
          <Button look="primary" onClick={() => setDoing({ deed: 'invite' })}>
            <Icon name="plus" />
            Invite
          </Button>
        </Changing>
      }
    >
      <Problem error={enable.error} />
      <Loaded query={people} lines={3}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="soft">Nobody has a role here yet. Invite the first person.</p>
          ) : (
            <PeopleTable
              organization={organization}
              rows={items}
              nameOf={nameOf}
              onDo={(deed, person) => {
                if (deed === 'enable') enable.mutate(person.id)
                else setDoing({ deed, person })
              }}
            />
          )
        }
      </Loaded>
      {doing?.deed === 'invite' && <InvitePerson organization={organization} onClose={close} />}
      {doing?.deed === 'role' && (
        <ChangeRole organization={organization} person={doing.person} onClose={close} />
      )}
      {doing?.deed === 'reset' && (
        <ResetPerson organization={organization} person={doing.person} onClose={close} />
      )}
      {doing?.deed === 'sessions' && (
        <Sessions
          title={`Sessions of ${doing.person.name}`}
          path={`${placeOf(organization)}/people/${doing.person.id}/sessions`}
          endsAll
          onClose={close}
        />
      )}
      {doing?.deed === 'rename' && (
        <RenamePerson organization={organization} person={doing.person} onClose={close} />
      )}
      {(doing?.deed === 'disable' || doing?.deed === 'unlink' || doing?.deed === 'delete') && (
        <EndAccess
          organization={organization}
          person={doing.person}
          deed={doing.deed}
          onClose={close}
        />
      )}
    </Card>
  )
}
