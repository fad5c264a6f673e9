import { App, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks } from 'cdk-nag'
import { buildCodeOf } from './bundling/stack-code.ts'
import { ServiceStack } from './service-stack.ts'
import { readSettingsFile, SETTINGS_FILE, type Settings, settingsOfContext } from './settings.ts'

const app = new App()

/** The settings to deploy with. Ends the synthesis where they are wrong: the CDK shows what is said, and no more. */
function settingsGiven(): Settings {
  try {
    return readSettingsFile(
      String(app.node.tryGetContext('settings') ?? SETTINGS_FILE),
      settingsOfContext(app.node.getAllContext() as Readonly<Record<string, unknown>>),
    )
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(1)
  }
}

new ServiceStack(app, settingsGiven(), await buildCodeOf(app))
// A finding that nobody has answered for ends the synthesis, and with it any deployment.
Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
app.synth()
