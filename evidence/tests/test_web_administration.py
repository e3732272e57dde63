"""The way into the administration: the one page where people sign in."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evidence.tests import builders

pytestmark = pytest.mark.django_db


def test_who_is_not_signed_in_is_led_to_the_page_where_people_sign_in(client: Client) -> None:
    response = client.get("/admin/evidence/source/", follow=True)
    assert response.redirect_chain[-1] == ("/sign-in/?next=/admin/evidence/source/", 302)


def test_a_password_that_is_sent_to_the_administration_itself_signs_nobody_in(client: Client) -> None:
    User.objects.create_superuser("root", password="ein-langes-passwort")
    client.post("/admin/login/", {"username": "root", "password": "ein-langes-passwort", "next": "/admin/"})
    assert "_auth_user_id" not in client.session


def test_who_is_signed_in_and_may_not_administer_is_not_sent_round_in_circles(client: Client) -> None:
    client.force_login(builders.person("anna"))
    response = client.get("/admin/", follow=True)
    assert response.status_code == 404
