import { useState } from 'react'
import { ASSIGNMENT_RULES } from '../../../server/src/base/domain/routing-rule.ts'
import { change } from '../api/client.ts'
import type { Assignment, OwnedIdent } from '../api/types.ts'
import { t } from '../language/text.ts'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { optionsOf, SelectField, TextField } from '../ui/form/Field.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { PickOrganizations } from './PickOrganizations.tsx'

type IfOwned = NonNullable<Assignment['if_owned']>

const IF_OWNED = optionsOf<IfOwned>({
  refuse: t('Do not assign it'),
  share: t('Share it: all organizations get its positions'),
  move: t('Move it: the former owner keeps its object'),
})

/** Gives an ident to organizations. `ident`: empty if the operator types it. */
export function AssignIdent({ ident: given, onClose }: { ident: string; onClose: () => void }) {
  const [ident, setIdent] = useState(given)
  const [chosen, setChosen] = useState<string[]>([])
  const [ifOwned, setIfOwned] = useState<IfOwned>('refuse')
  const assign = useSaving({
    request: (body: Assignment) => change<OwnedIdent>('POST', '/routing/assign', body),
    refreshes: [['routing'], ['organizations']],
    done: ({ was_unknown }, { ident }) =>
      was_unknown
        ? t('{{ident}} was assigned. No tracker has sent this ident yet, so check the spelling.', {
            ident,
          })
        : t('{{ident}} was assigned.', { ident }),
    onSaved: onClose,
  })
  const isMissing = ident.trim() === ''
  return (
    <FormDialog
      title={given === '' ? t('Assign ident') : t('Assign {{given}}', { given })}
      action={t('Assign')}
      saving={assign}
      isReady={!isMissing && chosen.length > 0}
      rules={ASSIGNMENT_RULES}
      onSubmit={() => {
        const organizations = chosen.map(Number)
        assign.mutate({ ident: ident.trim(), organizations, if_owned: ifOwned })
      }}
      onClose={onClose}
    >
      {given === '' && (
        <TextField
          label={t('Ident')}
          name="ident"
          autoFocus
          value={ident}
          onChange={setIdent}
          fault={isMissing && t('Enter an ident.')}
        />
      )}
      <PickOrganizations chosen={chosen} onChange={setChosen} />
      <SelectField
        label={t('If another organization owns the ident')}
        name="if_owned"
        options={IF_OWNED}
        value={ifOwned}
        onChange={setIfOwned}
        help={t('Each organization gets an object with this ident, unless it already has one.')}
      />
    </FormDialog>
  )
}
