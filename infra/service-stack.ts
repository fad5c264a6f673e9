import { CfnOutput, Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { acknowledgeFindings } from './acknowledged.ts'
import { AlarmsStack } from './alarms-stack.ts'
import { ApiStack } from './api-stack.ts'
import type { CodeOf } from './lambda-function.ts'
import type { Settings } from './settings.ts'
import { StateStack } from './state-stack.ts'
import { WorkersStack } from './workers-stack.ts'

/** The name of the stack of a stage. */
export const stackName = ({ stage }: Settings): string => `incident-investigator-${stage}`

/**
 * The whole service in one stack, so that a plain `cdk deploy` works; its parts are nested, so that none nears the 500
 * resources that CloudFormation allows a template.
 */
export class ServiceStack extends Stack {
  readonly state: StateStack
  readonly api: ApiStack
  readonly workers: WorkersStack
  readonly alarms: AlarmsStack

  constructor(scope: Construct, settings: Settings, codeOf: CodeOf) {
    super(scope, stackName(settings), {
      description: 'Incident investigator',
      terminationProtection: settings.stage !== 'dev',
    })
    this.state = new StateStack(this, 'State', settings)
    const surroundings = { state: this.state, settings, codeOf }
    this.api = new ApiStack(this, 'Api', surroundings)
    this.workers = new WorkersStack(this, 'Workers', surroundings)
    this.alarms = new AlarmsStack(this, 'Alarms', this.state, this.api, this.workers)
    acknowledgeFindings(this, settings)
    this.tell()
  }

  /** The deployment's last words. CloudFormation's command line sorts them by name: what to try comes last. */
  private tell(): void {
    const base = this.api.baseAddress()
    const { users } = this.state
    const tell = (name: string, description: string, value: string) =>
      new CfnOutput(this, name, { description, value })
    tell('BaseUrl', 'Base address of the API', base)
    tell('BundlesBucket', 'Incident bundles go under bundles/ of this bucket', this.state.bucket.bucketName)
    if (this.api.domain !== null)
      tell('DomainTarget', 'Where the name of the API leads to', this.api.domain.domainNameAliasDomainName)
    tell('IncidentsTable', 'Where incidents are kept', this.state.tables.incidents.tableName)
    tell('KeysTable', 'Where API keys are kept', this.state.tables.keys.tableName)
    tell('SignInAddress', 'Where users sign in', users.signInAddress)
    tell('SignInPool', 'Who may sign in', users.pool.userPoolId)
    tell('TryIt', 'A first request', `curl -s ${base}/health`)
  }
}
