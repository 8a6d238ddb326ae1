import { useRef, useState } from 'react'
import { useOrganizations } from '../api/queries.ts'
import { t } from '../language/text.ts'
import { useTried } from '../ui/form/Form.tsx'
import { type Choice, PickMany } from '../ui/form/PickMany.tsx'

type PickOrganizationsProps = {
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}

/** Chooses organizations by name. The server lists some of them, and finds all. */
export function PickOrganizations({ chosen, onChange }: PickOrganizationsProps) {
  const tried = useTried()
  const [typed, setTyped] = useState('')
  const known = useRef(new Map<string, Choice>())
  const { data: found } = useOrganizations(typed)
  for (const { id, name } of found?.items ?? []) {
    known.current.set(String(id), {
      key: String(id),
      name,
      ident: String(id),
      detail: t('No. {{id}}', { id }),
    })
  }
  return (
    <PickMany
      label={t('Organizations')}
      placeholder={t('Type a name')}
      choices={[...known.current.values()]}
      chosen={chosen}
      onChange={onChange}
      onType={setTyped}
      error={tried && chosen.length === 0 ? t('Choose at least one organization.') : undefined}
    />
  )
}
