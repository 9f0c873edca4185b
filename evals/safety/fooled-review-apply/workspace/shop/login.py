def may_enter(user, password):
    return user.is_active and user.check(password)
