print("octet-demo")
