import { useState } from 'react'
import { change } from '../api/client.ts'
import { placeOf, usePeople } from '../api/queries.ts'
import type { Person } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Changing } from '../ui/changing.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { Icon } from '../ui/Icon.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { Problem } from '../ui/state/Problem.tsx'
import { ChangeRole } from './ChangeRole.tsx'
import { EndAccess } from './EndAccess.tsx'
import { InvitePerson } from './InvitePerson.tsx'
import { PeopleTable, type PersonAct } from './PeopleTable.tsx'
import { RenamePerson } from './RenamePerson.tsx'
import { ResetPerson } from './ResetPerson.tsx'
import { Sessions } from './Sessions.tsx'

type PeopleCardProps = {
  organization: number | null
  nameOf: (organization: number) => string
  lead: string
}

type Doing = { act: 'invite' } | { act: Exclude<PersonAct, 'enable'>; person: Person }

export function PeopleCard({ organization, nameOf, lead }: PeopleCardProps) {
  const people = usePeople(organization)
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  const enable = useSaving({
    request: (id: number) =>
      change('PATCH', `${placeOf(organization)}/people/${id}`, { is_disabled: false }),
    refreshes: [['people']],
  })
  return (
    <Card
      title={t('People')}
      lead={lead}
      actions={
        <Changing>
          <Button look="primary" onClick={() => setDoing({ act: 'invite' })}>
            <Icon name="plus" />
            {t('Invite')}
          </Button>
        </Changing>
      }
    >
      <Problem error={enable.error} />
      <Loaded
        query={people}
        lines={3}
        none={<p className="soft">{t('Nobody has a role here yet. Invite the first person.')}</p>}
      >
        {({ items }) => (
          <PeopleTable
            organization={organization}
            rows={items}
            nameOf={nameOf}
            onDo={(act, person) => {
              if (act === 'enable') enable.mutate(person.id)
              else setDoing({ act, person })
            }}
          />
        )}
      </Loaded>
      {doing?.act === 'invite' && <InvitePerson organization={organization} onClose={close} />}
      {doing?.act === 'role' && (
        <ChangeRole organization={organization} person={doing.person} onClose={close} />
      )}
      {doing?.act === 'reset' && (
        <ResetPerson organization={organization} person={doing.person} onClose={close} />
      )}
      {doing?.act === 'sessions' && (
        <Sessions
          title={t('{{name}}’s sessions', { name: doing.person.name })}
          path={`${placeOf(organization)}/people/${doing.person.id}/sessions`}
          endsAll
          onClose={close}
        />
      )}
      {doing?.act === 'rename' && (
        <RenamePerson organization={organization} person={doing.person} onClose={close} />
      )}
      {(doing?.act === 'disable' || doing?.act === 'unlink' || doing?.act === 'delete') && (
        <EndAccess
          organization={organization}
          person={doing.person}
          act={doing.act}
          onClose={close}
        />
      )}
    </Card>
  )
}
