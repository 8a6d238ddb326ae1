import { useState } from 'react'
import { SCOPE_RULES } from '../../../../server/src/base/domain/key-scope.ts'
import type { Credential, OrganizationSummary } from '../../api/types.ts'
import { t } from '../../language/text.ts'
import { FormDialog } from '../../ui/dialog/FormDialog.tsx'
import { useSaveKey } from '../use-save-key.ts'
import { AccessField, ScopeFields } from './ScopeFields.tsx'
import { draftOf, isComplete, scopeIn } from './scope-draft.ts'

type ChangeScopeProps = {
  organization: OrganizationSummary
  credential: Credential
  onClose: () => void
}

export function ChangeScope({ organization, credential, onClose }: ChangeScopeProps) {
  const [draft, setDraft] = useState(() => draftOf(credential.scope))
  const save = useSaveKey(
    organization.id,
    credential,
    t('Access for {{name}} was changed.', { name: credential.name }),
    onClose,
  )
  return (
    <FormDialog
      title={t('Change access for {{name}}', { name: credential.name })}
      action={t('Save access')}
      saving={save}
      isReady={isComplete(draft)}
      rules={SCOPE_RULES}
      fields={['operations', 'objects', 'attributes']}
      onSubmit={() => save.mutate({ scope: scopeIn(draft) })}
      onClose={onClose}
    >
      <AccessField draft={draft} onChange={setDraft} />
      <ScopeFields organization={organization} draft={draft} onChange={setDraft} />
      <p className="soft small">
        {t(
          'Changes apply to the next request. The key’s open streams end, and its programs read all changes again.',
        )}
      </p>
    </FormDialog>
  )
}
