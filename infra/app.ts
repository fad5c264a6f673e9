import { App, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks } from 'cdk-nag'
import { buildCodeOf } from './bundling/stack-code.ts'
import { ServiceStack } from './service-stack.ts'
import { readSettingsFile, SETTINGS_FILE, settingsOfContext } from './settings.ts'

const app = new App()
const settings = readSettingsFile(
  String(app.node.tryGetContext('settings') ?? SETTINGS_FILE),
  settingsOfContext((name) => app.node.tryGetContext(name) as unknown),
)
new ServiceStack(app, settings, await buildCodeOf(app))
// A finding that nobody has answered for ends the synthesis, and with it any deployment.
Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
app.synth()
