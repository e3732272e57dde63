from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("evidence", "0015_knowledge_and_answers"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="auditevent",
            options={"ordering": ["-at", "-id"], "verbose_name": "audit event", "verbose_name_plural": "audit events"},
        ),
    ]
