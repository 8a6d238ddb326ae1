import { Redirect, Route, Switch } from 'wouter'
import { AuditPage } from '../audit/AuditPage.tsx'
import { OrganizationList } from '../organizations/OrganizationList.tsx'
import { OrganizationPage } from '../organizations/OrganizationPage.tsx'
import { Gate } from '../sign-in/Gate.tsx'
import { Frame } from './Frame.tsx'
import { NotFound } from './NotFound.tsx'

export function App() {
  return (
    <Gate>
      <Frame>
        <Switch>
          <Route path="/">
            <OrganizationList />
          </Route>
          <Route path="/audit">
            <AuditPage />
          </Route>
          <Route path="/organizations">
            <Redirect to="/" replace />
          </Route>
          <Route path="/organizations/:organization/*?">
            {({ organization }) => <OrganizationPage organization={Number(organization)} />}
          </Route>
          {/* The link was used, or somebody came by it who is in already. */}
          <Route path="/setup">
            <Redirect to="/" replace />
          </Route>
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Frame>
    </Gate>
  )
}
